// Peterson's algorithm with the two first stores swapped: both threads may enter.
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn, inside;

static void *thread(void *arg) {
    int me = (int)(intptr_t)arg, other = 1 - me;
    atomic_store(&turn, other);
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        ;
    assert(atomic_fetch_add(&inside, 1) == 0); // BUG: assertion
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
