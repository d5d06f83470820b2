// Must not be parked: the loop gives up after three looks, and then the assertion fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waiter(void *arg) {
    int looks = 0;
    while (!atomic_load(&flag) && looks < 3)
        looks++;
    assert(looks < 3); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
