// Must be parked: a spin lock of compare-exchanges.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;
static int counter;

static void *adds(void *arg) {
    int expected;
    do
        expected = 0;
    while (!atomic_compare_exchange_strong(&held, &expected, 1));
    counter++;
    atomic_store(&held, 0);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 2;
}
