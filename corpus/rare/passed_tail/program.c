// A lock-free queue (Michael and Scott) with a dummy node: an entry is linked first, and then the tail is moved to
// it. A taker that moves the head past a tail which was not yet moved frees the node that the tail names, and the
// next one who puts an entry reads it. The correct taker helps to move the tail first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

struct node {
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) head, tail;
static struct node *nodes[PUTTERS];

static void *put(void *number) {
    make_noise();
    struct node *fresh = nodes[(long)number];
    for (;;) {
        struct node *end = atomic_load(&tail), *none = NULL;
        if (atomic_compare_exchange_strong(&end->next, &none, fresh)) { // BUG: heap-use-after-free data-race
            atomic_compare_exchange_strong(&tail, &end, fresh);
            break;
        }
        atomic_compare_exchange_strong(&tail, &end, none);
    }
    make_noise();
    return NULL;
}

// The only one who takes.
static void *take(void *unused) {
    make_noise();
    struct node *first = atomic_load(&head), *next = atomic_load(&first->next);
    if (!next)
        return unused;
#ifdef CORRECT
    struct node *end = first;
    atomic_compare_exchange_strong(&tail, &end, next);
#endif
    atomic_store(&head, next);
    make_noise();
#ifndef CORRECT
    free(first); // BUG: data-race
#endif
    make_noise();
    return unused;
}

int main(void) {
    pthread_t putters[PUTTERS], taker;
    struct node *dummy = calloc(1, sizeof *dummy);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    for (long i = 0; i < PUTTERS; i++) {
        nodes[i] = calloc(1, sizeof **nodes);
        pthread_create(&putters[i], NULL, put, (void *)i);
    }
    pthread_create(&taker, NULL, take, NULL);
    for (int i = 0; i < PUTTERS; i++)
        pthread_join(putters[i], NULL);
    pthread_join(taker, NULL);
    return 0;
}
