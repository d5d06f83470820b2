// A list without locks. DELETERS threads take one node each out: a thread reads what comes after its node and makes
// the node before point there by a compare-exchange. If a node's neighbour is taken out after what comes after the
// node was read, that removal is lost. Only the nodes of the first thread and of the one created last are
// neighbours. The correct version marks a node's link first, so that nobody changes it any more.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

enum { GONE = 1 << 10, END = 2 * DELETERS + 1 };

static atomic_int next[END], removed[END];

static void *take_out(void *number) {
    int node = (int)(long)number;
    for (int i = 0; node == 2 && i < LATER; i++)
        make_noise();
    int before = 0, after = atomic_load(&next[node]) % GONE;
#ifdef CORRECT
    // Takers of a marked node's neighbours give up, as does one whose own link has changed.
    if (!atomic_compare_exchange_strong(&next[node], &after, after + GONE))
        return NULL;
#endif
    for (int i = atomic_load(&next[0]) % GONE; i != node && i < END - 1; i = atomic_load(&next[i]) % GONE)
        before = i;
    int link = node;
    if (atomic_compare_exchange_strong(&next[before], &link, after))
        atomic_store(&removed[node], 1);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[DELETERS];
    for (int i = 0; i < END; i++)
        atomic_store(&next[i], i + 1);
    for (long i = 0; i < DELETERS; i++)
        pthread_create(&threads[i], NULL, take_out, (void *)(i == DELETERS - 1 ? 2 : 2 * i + 1));
    for (int i = 0; i < DELETERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = next[0] % GONE; i < END - 1; i = next[i] % GONE)
        assert(!removed[i]); // BUG: assertion
    return 0;
}
