// A queue lock (Mellor-Crummey and Scott): each thread waits at a node of its own, and who leaves hands the lock to
// its successor. A thread that is not yet linked behind its predecessor, but has already put itself at the end of
// the queue, is not handed the lock: who leaves must wait for the link and does not.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) last;
static struct node nodes[THREADS];
static int entries;

static void *enter(void *own) {
    make_noise();
    struct node *node = own, *alone = node;
    atomic_store(&node->waits, 1);
    struct node *before = atomic_exchange(&last, node);
    if (before) {
        atomic_store(&before->next, node);
        while (atomic_load(&node->waits)) // BUG: livelock
            ;
    }
    entries++;
    make_noise();
    if (atomic_load(&node->next) || !atomic_compare_exchange_strong(&last, &alone, NULL)) {
#ifdef CORRECT
        while (!atomic_load(&node->next))
            ;
#endif
        struct node *after = atomic_load(&node->next);
        if (after)
            atomic_store(&after->waits, 0);
    }
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, &nodes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
