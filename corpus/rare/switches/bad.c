// A thread goes through LOOKS phases; another one looks LOOKS times. Both also count, WORK times before each phase or look.
// A phase is over at the next operation. The bug shows only if each look meets its phase: LOOKS times the first thread is
// preempted between two certain operations.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

#ifndef LOOKS
#define LOOKS 1
#endif
#ifndef WORK
#define WORK 10
#endif

static atomic_int phase, counts[2];

static void work(int who) {
    for (int i = 0; i < WORK; i++)
        atomic_fetch_add(&counts[who], 1);
}

static void *go_through(void *unused) {
    make_noise();
    for (int i = 1; i <= LOOKS; i++) {
        work(0);
        atomic_store(&phase, i);
        atomic_store(&phase, 0);
    }
    make_noise();
    return unused;
}

static void *look(void *unused) {
    make_noise();
    int met = 0;
    for (int i = 1; i <= LOOKS; i++) {
        work(1);
        met += atomic_load(&phase) == i;
    }
    assert(met != LOOKS); // BUG: assertion
    make_noise();
    return unused;
}

int main(void) {
    pthread_t goes, looks;
    pthread_create(&goes, NULL, go_through, NULL);
    pthread_create(&looks, NULL, look, NULL);
    pthread_join(goes, NULL);
    pthread_join(looks, NULL);
    return 0;
}
