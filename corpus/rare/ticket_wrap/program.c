// A ticket lock whose tickets have BITS bits, so that after 2^BITS tickets the same number is given again. With more
// threads than numbers, two of them may wait with the same ticket, and both come in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

enum { NUMBERS = 1 << BITS };

static atomic_uint tickets, served;
static atomic_int inside;

static void *enter(void *unused) {
    make_noise();
    unsigned mine = atomic_fetch_add(&tickets, 1) % NUMBERS;
    while (atomic_load(&served) % NUMBERS != mine) // BUG: livelock
        ;
    assert(atomic_fetch_add(&inside, 1) == 0); // BUG: assertion
    atomic_fetch_sub(&inside, 1);
    atomic_fetch_add(&served, 1);
    make_noise();
    return unused;
}

int main(void) {
#ifdef CORRECT
    enum { THREADS = NUMBERS };
#else
    enum { THREADS = NUMBERS + 1 };
#endif
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
