// A compare-exchange that would fail is a read, also while it is only pending. The search `dpor` meets runs that end with
// everybody asleep: there the exchange below is pending while main has read the variable. Taken for a write, it raced
// with main's read, though in no execution anybody ever writes the variable: a false alarm, found by the native
// cross-check (generated program 20099).
#include <pthread.h>
#include <stdatomic.h>

static _Atomic long shared;
static long untouched;

static void *exchanger(void *arg) {
    long expected = 1;
    // Fails always: the value is 0.
    __atomic_compare_exchange_n(&untouched, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    atomic_load(&shared);
    return arg;
}

static void *storer(void *arg) {
    atomic_store(&shared, 2);
    return arg;
}

static void *adder(void *arg) {
    atomic_fetch_add(&shared, 1);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, exchanger, NULL);
    pthread_create(&threads[1], NULL, storer, NULL);
    pthread_create(&threads[2], NULL, adder, NULL);
    atomic_store(&shared, 1);
    long seen = untouched;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return seen != 0;
}
