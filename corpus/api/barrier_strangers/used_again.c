/* The serial thread destroys the barrier and makes a semaphore in its memory, perhaps before the other one has gone on,
   as POSIX allows. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static void *memory;

static void meet(void) {
    if (pthread_barrier_wait(memory)) {
        pthread_barrier_destroy(memory);
        free(memory);
        sem_t *unit = malloc(sizeof(pthread_barrier_t));
        sem_init(unit, 0, 0);
        sem_post(unit);
        sem_wait(unit);
        sem_destroy(unit);
        free(unit);
    }
}

static void *other(void *unused) {
    meet();
    return unused;
}

int main(void) {
    pthread_t thread;
    memory = malloc(sizeof(pthread_barrier_t));
    pthread_barrier_init(memory, 0, 2);
    pthread_create(&thread, 0, other, 0);
    meet();
    pthread_join(thread, 0);
}
