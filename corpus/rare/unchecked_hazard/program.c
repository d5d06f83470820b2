// Readers say in a slot of their own which node they use, and a writer that replaces the node frees the old one only
// if no slot names it. A reader does not look again whether the node is still the current one after it has filled
// its slot, so the node can be replaced, searched for in the slots and freed in between. Only the reader created
// last uses the old node's value.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

struct node {
    atomic_int value;
};

static _Atomic(struct node *) current, slots[READERS];
static atomic_int sum;

static void *read_value(void *number) {
    make_noise();
    int mine = (int)(long)number;
    struct node *node = atomic_load(&current);
    atomic_store(&slots[mine], node);
#ifdef CORRECT
    if (atomic_load(&current) != node)
        return NULL;
#endif
    if (mine == READERS - 1)
        atomic_fetch_add(&sum, atomic_load(&node->value)); // BUG: heap-use-after-free
    atomic_store(&slots[mine], NULL);
    make_noise();
    return NULL;
}

static void *replace(void *unused) {
    make_noise();
    struct node *fresh = malloc(sizeof *fresh);
    atomic_init(&fresh->value, 1);
    struct node *old = atomic_exchange(&current, fresh);
    int used = 0;
    for (int i = 0; i < READERS; i++)
        used |= atomic_load(&slots[i]) == old;
    if (!used)
        free(old);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t readers[READERS], writer;
    struct node *first = malloc(sizeof *first);
    atomic_init(&first->value, 0);
    atomic_init(&current, first);
    for (long i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_value, (void *)i);
    pthread_create(&writer, NULL, replace, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
    return 0;
}
