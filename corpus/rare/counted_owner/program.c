// OWNERS threads own a block together and give it up once each; the last one frees it. Each counts its use after it has
// lowered the number of owners, so it may touch the block after another one has freed it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

struct block {
    atomic_int owners;
    atomic_int uses;
};

static void *give_up(void *shared) {
    make_noise();
    struct block *block = shared;
#ifdef CORRECT
    atomic_fetch_add(&block->uses, 1);
    int last = atomic_fetch_sub(&block->owners, 1) == 1;
#else
    int last = atomic_fetch_sub(&block->owners, 1) == 1;
    atomic_fetch_add(&block->uses, 1); // BUG: heap-use-after-free
#endif
    if (last)
        free(block);
    make_noise();
    return NULL;
}

int main(void) {
    struct block *block = malloc(sizeof *block);
    pthread_t threads[OWNERS];
    atomic_init(&block->owners, OWNERS);
    atomic_init(&block->uses, 0);
    for (int i = 0; i < OWNERS; i++)
        pthread_create(&threads[i], NULL, give_up, block);
    for (int i = 0; i < OWNERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
