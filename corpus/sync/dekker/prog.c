// Dekker's mutual exclusion for two threads. ORDER is the memory order of every access to its variables.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

static atomic_int wants[2], turn;
static int counter;

static void *thread(void *arg) {
    int me = (int)(intptr_t)arg, other = 1 - me;
    atomic_store_explicit(&wants[me], 1, ORDER);
    while (atomic_load_explicit(&wants[other], ORDER)) {
        if (atomic_load_explicit(&turn, ORDER) != me) {
            atomic_store_explicit(&wants[me], 0, ORDER);
            while (atomic_load_explicit(&turn, ORDER) != me)
                ;
            atomic_store_explicit(&wants[me], 1, ORDER);
        }
    }
    counter++; // BUG: data-race
    atomic_store_explicit(&turn, other, ORDER);
    atomic_store_explicit(&wants[me], 0, ORDER);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
