// Peterson's lock with its two stores in the wrong order, taken TIMES times by each of two threads: both get in if one
// is interrupted between them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void enter(int me) {
#ifdef CORRECT
    atomic_store(&wants[me], 1);
    atomic_store(&turn, !me);
#else
    atomic_store(&turn, !me);
    atomic_store(&wants[me], 1);
#endif
    while (atomic_load(&wants[!me]) && atomic_load(&turn) != me)
        ;
}

static void *use(void *number) {
    int me = (int)(long)number;
    for (int i = 0; i < TIMES; i++) {
        enter(me);
        assert(atomic_fetch_add(&inside, 1) == 0); // BUG: assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
