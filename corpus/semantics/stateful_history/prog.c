// Two threads store the same value in `flag`. Main acquires what the first one has written to `data` if that thread's
// release store is the latest one, and not if the other one's relaxed store is. Memory and the threads' places are the
// same in both cases, so only what C11 orders tells the states apart. No two accesses of `data` are ever pending at once.
// Which case a search makes first depends on who is created first. The bystander is there so that several threads can go
// on where the states are compared.
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static atomic_int flag, stored, noise;
static int data;

static void *publishes(void *arg) {
    data = 1; // BUG: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_fetch_add_explicit(&stored, 1, ORDER);
    return arg;
}

static void *repeats(void *arg) {
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&stored, 1, ORDER);
    return arg;
}

static void *bystander(void *arg) {
    atomic_store_explicit(&noise, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t threads[3];
#ifdef SWAPPED
    pthread_create(&threads[1], NULL, repeats, NULL);
    pthread_create(&threads[0], NULL, publishes, NULL);
#else
    pthread_create(&threads[0], NULL, publishes, NULL);
    pthread_create(&threads[1], NULL, repeats, NULL);
#endif
    pthread_create(&threads[2], NULL, bystander, NULL);
    while (atomic_load_explicit(&stored, ORDER) != 2)
        ;
    atomic_store_explicit(&noise, 2, memory_order_relaxed);
    (void)atomic_load_explicit(&flag, memory_order_acquire);
    data = 2; // BUG: data-race
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
