// A loop stores in each round what is there already. A store of the same value by main is no change, so the loop is
// parked and stays so; but the loop's store after it takes the edge away that who reads the value would have from main
// (C11 5.1.2.4p10: the release sequence ends at a store by another thread). The race needs a round of the loop after each
// of main's stores, and the reader in between.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag = 1, stage, done;
static int data;

static void *keeper(void *arg) {
#ifdef ROUNDS
    for (int i = 0; i < ROUNDS; i++)
#else
    while (!atomic_load_explicit(&done, memory_order_relaxed))
#endif
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *reader(void *arg) {
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1) {
        atomic_load_explicit(&flag, memory_order_acquire);
        atomic_store_explicit(&stage, 2, memory_order_relaxed);
    }
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 3) {
        atomic_load_explicit(&flag, memory_order_acquire);
        data++; // BUG: data-race
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, keeper, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    data = 1; // BUG: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_store_explicit(&stage, 1, memory_order_relaxed);
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 2) {
        atomic_store_explicit(&flag, 1, memory_order_release);
        atomic_store_explicit(&stage, 3, memory_order_relaxed);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
