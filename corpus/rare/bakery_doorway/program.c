// Lamport's bakery: a thread takes a number above all others and waits until nobody has a lower one. Without the
// mark that says "I am choosing a number", a thread that has read the numbers and not yet written its own is not
// waited for: it comes in with the same number and a lower place, while the other one is inside.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int choosing[THREADS], number[THREADS], inside;

static void lock(int mine) {
#ifdef CORRECT
    atomic_store(&choosing[mine], 1);
#endif
    int highest = 0;
    for (int i = 0; i < THREADS; i++) {
        int other = atomic_load(&number[i]);
        highest = other > highest ? other : highest;
    }
    atomic_store(&number[mine], highest + 1);
    atomic_store(&choosing[mine], 0);
    for (int i = 0; i < THREADS; i++) {
        if (i == mine)
            continue;
        while (atomic_load(&choosing[i]))
            ;
        for (;;) {
            int other = atomic_load(&number[i]);
            if (other == 0 || other > highest + 1 || (other == highest + 1 && i > mine))
                break;
        }
    }
}

static void *enter(void *place) {
    make_noise();
    int mine = (int)(long)place;
    lock(mine);
    assert(atomic_fetch_add(&inside, 1) == 0); // BUG: assertion
    atomic_fetch_sub(&inside, 1);
    atomic_store(&number[mine], 0);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
