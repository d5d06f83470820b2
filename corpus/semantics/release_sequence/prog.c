// C11 release sequences. A read-modify-write by another thread continues the sequence; a plain atomic store by another
// thread (-DBROKEN) ends it, and the data race.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int data;
static atomic_int flag;

static void *sender(void *arg) {
    (void)arg;
    data = 42; // BUG: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *between(void *arg) {
    (void)arg;
#ifdef BROKEN
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
#else
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_relaxed, memory_order_relaxed);
#endif
    return NULL;
}

static void *receiver(void *arg) {
    (void)arg;
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        if (data != 42) // BUG: data-race
            abort();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, between, NULL);
    pthread_create(&threads[2], NULL, receiver, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
