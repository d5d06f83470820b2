// Must not be parked: the loop counts its looks in memory, where another thread reads the count.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, looks;

static void *waiter(void *arg) {
    while (!atomic_load(&flag))
        if (atomic_fetch_add(&looks, 1) == 2)
            break;
    return arg;
}

static void *observer(void *arg) {
    assert(atomic_load(&looks) < 3); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, observer, NULL);
    pthread_join(b, NULL);
    atomic_store(&flag, 1);
    pthread_join(a, NULL);
    return 0;
}
