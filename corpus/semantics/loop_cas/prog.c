// Must be parked: a lock taken by compare-exchange, first looked at, in a function of its own.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int lock;
static int counter;

static bool taken(void) {
    int free = 0;
    return atomic_load(&lock) == 0 && atomic_compare_exchange_weak(&lock, &free, 1);
}

static void *thread(void *arg) {
    while (!taken())
        ;
    counter++;
    atomic_store(&lock, 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter - 2;
}
