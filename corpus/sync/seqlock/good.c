// A sequence lock with one writer: readers try again if the sequence number changed. Data are relaxed atomics.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WRITES
#define WRITES 1
#endif
#ifndef READERS
#define READERS 1
#endif

static atomic_uint sequence;
static atomic_int low, high;

static void *writer(void *arg) {
    (void)arg;
    for (int i = 1; i <= WRITES; i++) {
        unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&low, i, memory_order_relaxed);
        atomic_store_explicit(&high, i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return NULL;
}

static void *reader(void *arg) {
    (void)arg;
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&low, memory_order_relaxed);
        b = atomic_load_explicit(&high, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before % 2 == 1 || before != after);
    assert(a == b);
    return NULL;
}

int main(void) {
    pthread_t threads[1 + READERS];
    pthread_create(&threads[0], NULL, writer, NULL);
    for (int i = 1; i <= READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
