// A ring for one producer and one consumer, both of which spin. With BUG the producer publishes with too weak an order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef ITEMS
#define ITEMS 3
#endif
#define SLOTS 2

struct ring {
    _Atomic size_t head, tail;
    int slots[SLOTS];
};

static struct ring ring;

static bool push(struct ring *r, int value) {
    size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    size_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail - head == SLOTS)
        return false;
    r->slots[tail % SLOTS] = value; // BUG: data-race
#ifdef BUG
    atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
#else
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
#endif
    return true;
}

static bool pop(struct ring *r, int *value) {
    size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
        return false;
    *value = r->slots[head % SLOTS];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}

static void *producer(void *arg) {
    for (int i = 1; i <= ITEMS; i++)
        while (!push(&ring, i))
            ;
    return arg;
}

static void *consumer(void *arg) {
    for (int i = 1; i <= ITEMS; i++) {
        int value;
        while (!pop(&ring, &value))
            ;
        assert(value == i);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
