// Three threads in a chain: each takes two steps, and only who comes between the two steps of the one before sees what
// it needs to go on. The last one must see it as well. All count WORK times before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int steps[3], counts[3];

static void *link_of(void *number) {
    make_noise();
    int mine = (int)(long)number;
    for (int i = 0; i < WORK; i++)
        atomic_fetch_add(&counts[mine], 1);
    int goes_on = mine == 0 || atomic_load(&steps[mine - 1]) == 1;
#ifdef CORRECT
    goes_on = goes_on && mine < 2;
#endif
    if (goes_on) {
        atomic_store(&steps[mine], 1);
        assert(mine < 2); // BUG: assertion
        atomic_store(&steps[mine], 2);
    }
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, link_of, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
