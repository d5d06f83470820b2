// THREADS threads add to a sum in each of ROUNDS rounds and meet at a barrier. One of them takes the sum and sets it
// back behind the barrier, but nothing keeps the others from adding for the next round before that. In all rounds
// but the last two a second barrier does.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_barrier_t barrier;
static atomic_int sum;

static void *add(void *takes_sum) {
    make_noise();
    for (int round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(&sum, 1);
        pthread_barrier_wait(&barrier);
        if (takes_sum)
            assert(atomic_exchange(&sum, 0) == THREADS); // BUG: assertion
        else if (round == ROUNDS - 2)
            make_noise();
#ifndef CORRECT
        if (round < ROUNDS - 2)
#endif
            pthread_barrier_wait(&barrier);
    }
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, i == THREADS - 1 ? &sum : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
