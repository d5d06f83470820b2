// Readers count themselves in one of two counters, that of the current period. An updater replaces the data, starts
// the other period, and frees the old data once the counter of the period before is zero. A reader that has read the
// number of the period but has not yet counted itself is missed by one such wait, and by the next wait it is counted
// in the wrong period: the second update frees what it reads. The correct version waits for both periods.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

static _Atomic(atomic_int *) data;
static atomic_int period, readers[2], sum;

static atomic_int *make(int value) {
    atomic_int *made = malloc(sizeof *made);
    atomic_init(made, value);
    return made;
}

static void *read_data(void *unused) {
    make_noise();
    int mine = atomic_load(&period);
    atomic_fetch_add(&readers[mine], 1);
    atomic_int *found = atomic_load(&data);
    atomic_fetch_add(&sum, atomic_load(found)); // BUG: heap-use-after-free data-race
    atomic_fetch_sub(&readers[mine], 1);
    make_noise();
    return unused;
}

static int next_period_is_free(void) {
    int before = atomic_load(&period);
    atomic_store(&period, !before);
    return atomic_load(&readers[before]) == 0;
}

static void *update(void *unused) {
    make_noise();
    for (int i = 0; i < UPDATES; i++) {
        atomic_int *old = atomic_exchange(&data, make(i));
        int unused_now = next_period_is_free();
#ifdef CORRECT
        unused_now = unused_now && next_period_is_free();
#endif
        if (!unused_now)
            return unused; // Nothing more is updated, and nothing more is freed.
        free(old); // BUG: data-race
    }
    make_noise();
    return unused;
}

int main(void) {
    pthread_t updater, reading[READERS];
    atomic_init(&data, make(0));
    for (int i = 0; i < READERS; i++)
        pthread_create(&reading[i], NULL, read_data, NULL);
    pthread_create(&updater, NULL, update, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(reading[i], NULL);
    pthread_join(updater, NULL);
    return 0;
}
