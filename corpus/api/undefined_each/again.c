// CALL initialises an object; with an argument it does so a second time, while the first one is in use.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

union object {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    sem_t sem;
    mtx_t mtx;
    cnd_t cnd;
};

int main(int argc, char **argv) {
    (void)argv;
    union object *object = malloc(sizeof *object);
    CALL; // BUG: mutex-not-destroyed cond-not-destroyed
    USE;
    if (argc > 1) {
        CALL; // BUG: mutex-not-destroyed cond-not-destroyed double-init mutex-relock mutex-uninitialized semaphore-misuse rwlock-misuse barrier-misuse
    }
    return 0;
}
