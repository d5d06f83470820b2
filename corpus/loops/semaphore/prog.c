// Must be parked: the thread tries to take a unit of a semaphore.
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *waits(void *arg) {
    while (sem_trywait(&units) != 0)
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&units, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    sem_post(&units);
    pthread_join(thread, NULL);
    sem_destroy(&units);
    return 0;
}
