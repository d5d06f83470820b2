// A Treiber stack. Each of THREADS threads performs the operations of the string OPERATIONS in turn:
// u pushes a node of its own, o pops one. Nodes are never used twice.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef OPERATIONS
#define OPERATIONS "uuo"
#endif

enum { STEPS = sizeof OPERATIONS - 1 };

struct node {
    struct node *next;
    int value;
};

static struct node *_Atomic top;
static struct node nodes[THREADS][STEPS];

static void push(struct node *node) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    do {
        node->next = old;
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_acq_rel, memory_order_acquire));
}

static struct node *pop(void) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old != NULL
           && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acq_rel,
                                                       memory_order_acquire))
        ;
    return old;
}

static void *thread(void *arg) {
    int id = (int)(intptr_t)arg;
    int sum = 0;
    for (int i = 0; i < STEPS; i++) {
        if (OPERATIONS[i] == 'u') {
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
