// The work-stealing deque of Chase and Lev (SPAA 2005) in C11 atomics. The owner pushes PUSHES items, then takes TAKES
// times; each of STEALERS threads tries to steal STEALS times. Every item is handed out at most once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef PUSHES
#define PUSHES 3
#endif
#ifndef TAKES
#define TAKES 3
#endif
#ifndef STEALERS
#define STEALERS 2
#endif
#ifndef STEALS
#define STEALS 1
#endif

enum { SIZE = 8, EMPTY = -1, ABORT = -2 };

static atomic_int top, bottom;
static atomic_int items[SIZE];
static int owned[PUSHES + 1];
static int stolen[STEALERS + 1][PUSHES + 1];

static void push(int item) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % SIZE], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int item = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return item;
}

static int steal(void) {
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return ABORT;
    return item;
}

static void *owner(void *arg) {
    (void)arg;
    for (int i = 1; i <= PUSHES; i++)
        push(i);
    for (int i = 0; i < TAKES; i++) {
        int item = take();
        if (item > 0)
            owned[item]++;
    }
    return NULL;
}

static void *stealer(void *arg) {
    for (int i = 0; i < STEALS; i++) {
        int item = steal();
        if (item > 0)
            ((int *)arg)[item]++;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[1 + STEALERS];
    pthread_create(&threads[0], NULL, owner, NULL);
    for (int i = 0; i < STEALERS; i++)
        pthread_create(&threads[1 + i], NULL, stealer, stolen[i]);
    for (int i = 0; i < 1 + STEALERS; i++)
        pthread_join(threads[i], NULL);
    for (int item = 1; item <= PUSHES; item++) {
        int times = owned[item];
        for (int i = 0; i < STEALERS; i++)
            times += stolen[i][item];
        assert(times <= 1);
    }
    return 0;
}
