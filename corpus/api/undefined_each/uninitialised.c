// CALL uses an object on the heap that was never initialised; with an argument, INIT comes before it, and it is right.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

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
    union object *object = malloc(sizeof *object);
    struct timespec later = {2000000000, 0};
    int value;
    (void)argv, (void)later, (void)value;
    memset(object, 0x5a, sizeof *object);
    if (argc > 1) {
        INIT; // BUG: mutex-not-destroyed cond-not-destroyed
    }
    CALL; // BUG: mutex-uninitialized cond-uninitialized semaphore-misuse rwlock-misuse barrier-misuse
    return 0;
}
