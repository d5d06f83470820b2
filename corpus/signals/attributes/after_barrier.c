// Main waits at a barrier while the other thread arrives, and sends it a signal afterwards. Main's pass is enabled by that arrival
// also where main looks for signals itself.
#include <pthread.h>
#include <signal.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *arrives(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, arrives, 0);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
