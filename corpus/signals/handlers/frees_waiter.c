// A handler frees a thread that waits for a semaphore.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <errno.h>
#include <semaphore.h>

static sem_t ready;

static void handler(int number) {
    (void)number;
    sem_post(&ready);
}

static void *thread(void *arg) {
    while (sem_wait(&ready) != 0) {
        assert(errno == EINTR);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
