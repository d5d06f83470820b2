// One thread frees a block that it was handed without order; neither access is one of a variable.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic slot;

static void *hands_over(void *arg) {
    atomic_store_explicit(&slot, malloc(4), memory_order_release);
    return arg;
}

static void *frees(void *arg) {
    free(atomic_exchange_explicit(&slot, NULL, memory_order_relaxed));
    return arg;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, hands_over, NULL);
    pthread_create(&other, NULL, frees, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
