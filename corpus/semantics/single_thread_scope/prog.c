// An atomic access with the scope of a single thread is a plain access to other threads.
#include <pthread.h>

static int counter;

static void *counts(void *argument) {
    __scoped_atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED, SCOPE); // BUG: data-race
    return argument;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counts, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
