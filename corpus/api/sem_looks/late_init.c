/* The thread may wait for a unit before main has initialised the semaphore. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t unit;
static atomic_int started;

static void *waits(void *unused) {
    atomic_store(&started, 1);
    sem_wait(&unit); // BUG: semaphore-misuse
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef EARLY
    sem_init(&unit, 0, 1);
#endif
    pthread_create(&thread, 0, waits, 0);
#ifndef EARLY
    sem_init(&unit, 0, 1);
#endif
    pthread_join(thread, 0);
}
