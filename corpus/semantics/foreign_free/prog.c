// A block freed by another thread than its owner is not given out again in the run, so addresses do not depend on the
// interleaving: the owner's next block is a different one whether or not the other thread was faster.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static int *_Atomic handed_over;

static void *consumer(void *arg) {
    free(atomic_exchange(&handed_over, NULL));
    return arg;
}

static void *owner(void *arg) {
    int *first = malloc(sizeof *first);
    uintptr_t address = (uintptr_t)first;
    atomic_store(&handed_over, first);
    int *second = malloc(sizeof *second);
    assert((uintptr_t)second != address);
    free(second);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(atomic_load(&handed_over));
    return 0;
}
