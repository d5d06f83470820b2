// THREADS threads take a number each, and the numbers are distinct in every order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif

static atomic_int next;
static int number[THREADS];

static void *arrive(void *place) {
    *(int *)place = atomic_fetch_add(&next, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, arrive, &number[i]);
    int taken = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        taken |= 1 << number[i];
    }
    assert(taken == (1 << THREADS) - 1);
    return 0;
}
