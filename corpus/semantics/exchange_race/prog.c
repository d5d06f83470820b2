// Three accesses of two threads race with the read. The compare-exchange does so only where it succeeds: a schedule that
// shows it has one of the stores before, which the compare-exchange reads from.
#include <pthread.h>

static unsigned long shared, other;
static pthread_t second;

static void *stores(void *arg) {
    unsigned long old = 1;
    __atomic_store_n(&shared, 1, __ATOMIC_RELEASE); // BUG: data-race
    __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST); // BUG: data-race
    __atomic_compare_exchange_n(&other, &old, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return arg;
}

static void *exchanges(void *arg) {
    unsigned long old = 1;
    pthread_create(&second, NULL, stores, NULL);
    __atomic_compare_exchange_n(&shared, &old, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, NULL, exchanges, NULL);
    volatile unsigned long seen = shared; // BUG: data-race
    (void)seen;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
