// The handler locks the mutex that its thread may hold: it waits for itself.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void handler(int number) {
    (void)number;
    pthread_mutex_lock(&mutex); // BUG: mutex-relock deadlock
    count++;
    pthread_mutex_unlock(&mutex);
}

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
