// The size is checked under the lock; the last element and the bytes around it are used to the edge.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long *array;
static int used = SIZE - 1;

static void *append(void *arg) {
    pthread_mutex_lock(&mutex);
    if (used < SIZE)
        array[used++] = (long)arg;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    array = malloc(SIZE * sizeof *array);
    memset(array, 0, SIZE * sizeof *array);
    pthread_create(&a, NULL, append, NULL);
    pthread_create(&b, NULL, append, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(array);
    return 0;
}
