// A Treiber stack. OPERATIONS has a string for each thread, which performs its letters in turn: u pushes a node of its
// own, o pops one. Nodes are never used twice. A failed compare-and-swap has told the new top; with -DRELOAD it is
// loaded once more.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef OPERATIONS
#define OPERATIONS "uo", "uo", "uo"
#endif

static const char *const operations[] = {OPERATIONS};

enum { THREADS = sizeof operations / sizeof operations[0], STEPS = 4 };

struct node {
    struct node *next;
    int value;
};

static struct node *_Atomic top;
static struct node nodes[THREADS][STEPS];

static bool exchange(struct node **old, struct node *new) {
    bool done = atomic_compare_exchange_strong_explicit(&top, old, new, memory_order_acq_rel, memory_order_acquire);
#ifdef RELOAD
    if (!done)
        *old = atomic_load_explicit(&top, memory_order_acquire);
#endif
    return done;
}

static void push(struct node *node) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    for (;;) {
        node->next = old;
        if (exchange(&old, node))
            return;
    }
}

static struct node *pop(void) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old != NULL && !exchange(&old, old->next))
        ;
    return old;
}

static void *thread(void *arg) {
    int id = (int)(intptr_t)arg;
    int sum = 0;
    for (int i = 0; operations[id][i] != '\0'; i++) {
        if (operations[id][i] == 'u') {
            nodes[id][i].value = id * STEPS + i;
            push(&nodes[id][i]);
        } else {
            struct node *node = pop();
            if (node != NULL)
                sum += node->value;
        }
    }
    return (void *)(intptr_t)sum;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
