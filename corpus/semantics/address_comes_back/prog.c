// A stack of two blocks, of which only the addresses are compared. One thread takes both, gives one back and pushes a
// fresh block. If that has the address of the one that was given back, the other thread's compare-exchange takes the
// stack for unchanged and brings back a block that is gone (ABA). With COUNTED the addresses carry a number.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIZE = 32 };

static _Atomic uintptr_t top;
static _Atomic uintptr_t below;
static atomic_int below_is_gone;

static uintptr_t numbered(void *block, uintptr_t number) {
#ifdef COUNTED
    return (uintptr_t)block | number;
#else
    (void)number;
    return (uintptr_t)block;
#endif
}

static void *take_one(void *arg) {
    uintptr_t seen = atomic_load(&top);
    uintptr_t next = atomic_load(&below);
    if (seen != 0 && next != 0 && atomic_compare_exchange_strong(&top, &seen, next))
        assert(!atomic_load(&below_is_gone)); // BUG: assertion
    return arg;
}

static void *replace_all(void *first) {
    uintptr_t seen = numbered(first, 0);
    if (!atomic_compare_exchange_strong(&top, &seen, 0))
        return NULL;
    atomic_store(&below_is_gone, 1);
    atomic_store(&below, 0);
    free(first);
    atomic_store(&top, numbered(malloc(SIZE), 1));
    return NULL;
}

int main(void) {
    void *blocks[] = {malloc(SIZE), malloc(SIZE)};
    atomic_store(&top, numbered(blocks[0], 0));
    atomic_store(&below, numbered(blocks[1], 0));
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take_one, NULL);
    pthread_create(&threads[1], NULL, replace_all, blocks[0]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
