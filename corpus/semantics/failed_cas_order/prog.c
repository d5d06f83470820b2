// A failed compare-exchange has the memory order of its failure: FAILURE says whether it acquires.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FAILURE
#define FAILURE memory_order_relaxed
#endif

static int data;
static atomic_int flag;

static void *sender(void *arg) {
    (void)arg;
    data = 42; // BUG: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *receiver(void *arg) {
    (void)arg;
    int expected = 2;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 3, memory_order_acquire, FAILURE);
    if (expected == 1 && data != 42) // BUG: data-race
        abort();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
