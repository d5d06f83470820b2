// The non-blocking queue of Michael and Scott (PODC 1996). Each of PRODUCERS threads enqueues ITEMS values, each of
// CONSUMERS threads tries to dequeue ITEMS values. Nodes are never used twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node dummy;
static struct node nodes[PRODUCERS * ITEMS + 1];
static struct node *_Atomic head = &dummy, *_Atomic tail = &dummy;
static atomic_int got[CONSUMERS + 1];

static void enqueue(struct node *node, int value) {
    node->value = value;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static bool dequeue(int *value) {
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return false;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        *value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return true;
    }
}

static void *producer(void *arg) {
    int id = (int)(intptr_t)arg;
    for (int i = 0; i < ITEMS; i++)
        enqueue(&nodes[id * ITEMS + i], id * ITEMS + i + 1);
    return NULL;
}

static void *consumer(void *arg) {
    int id = (int)(intptr_t)arg;
    int sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        int value;
        if (dequeue(&value))
            sum += value;
    }
    atomic_store_explicit(&got[id], sum, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, (void *)(intptr_t)i);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&threads[PRODUCERS + i], NULL, consumer, (void *)(intptr_t)i);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    int total = 0, value;
    for (int i = 0; i < CONSUMERS; i++)
        total += atomic_load_explicit(&got[i], memory_order_relaxed);
    while (dequeue(&value))
        total += value;
    assert(total == PRODUCERS * ITEMS * (PRODUCERS * ITEMS + 1) / 2);
    return 0;
}
