// An array that the threads fill; the size is checked before the lock is taken.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long *array;
static atomic_int used = SIZE - 1;

static void *append(void *arg) {
    if (atomic_load(&used) < SIZE) {
        pthread_mutex_lock(&mutex);
        array[atomic_load(&used)] = (long)arg; // BUG: heap-overflow
        atomic_fetch_add(&used, 1);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    array = malloc(SIZE * sizeof *array);
    pthread_create(&a, NULL, append, NULL);
    pthread_create(&b, NULL, append, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(array); // BUG: heap-overflow(free)
    return 0;
}
