// Mozilla, macio.c: a thread starts an operation, notes that it is pending, and waits until the note is taken away. The one
// that completes the operation may take the note away before it is made, and the waiter waits for ever. Fixed by making
// the note first. The note is atomic here. WRONG == 1: as it was.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int pending;
static sem_t started;

static void *completes(void *arg) {
    sem_wait(&started);
    atomic_store(&pending, 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&started, 0, 0);
    pthread_create(&thread, 0, completes, 0);
#if WRONG
    sem_post(&started);
    atomic_store(&pending, 1);
#else
    atomic_store(&pending, 1);
    sem_post(&started);
#endif
    while (atomic_load(&pending)) // BUG: livelock
        ;
    pthread_join(thread, 0);
    return 0;
}
