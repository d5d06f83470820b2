// A block with owners, in a table. A thread that finds owners takes a share: it looks whether the count is above
// zero and raises it in a second step. In between the last owner may have given up its share and freed the block;
// the count goes from zero to one, and whoever lowers it frees the block again.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

static void *block;
static atomic_int owners = OWNERS;

static void give_up(void) {
    if (atomic_fetch_sub(&owners, 1) == 1)
        free(block); // BUG: double-free
}

static void *own(void *unused) {
    make_noise();
    give_up();
    make_noise();
    return unused;
}

static void *share(void *unused) {
    make_noise();
#ifdef CORRECT
    int count = atomic_load(&owners);
    while (count > 0 && !atomic_compare_exchange_strong(&owners, &count, count + 1))
        ;
#else
    int count = atomic_load(&owners);
    if (count > 0)
        atomic_fetch_add(&owners, 1);
#endif
    if (count > 0)
        give_up();
    make_noise();
    return unused;
}

int main(void) {
    pthread_t owning[OWNERS], sharing;
    block = malloc(16);
    pthread_create(&sharing, NULL, share, NULL);
    for (int i = 0; i < OWNERS; i++)
        pthread_create(&owning[i], NULL, own, NULL);
    for (int i = 0; i < OWNERS; i++)
        pthread_join(owning[i], NULL);
    pthread_join(sharing, NULL);
    return 0;
}
