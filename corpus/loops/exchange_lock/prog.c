// Must be parked: each round of a spin lock stores what is there already.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;
static int counter;

static void *adds(void *arg) {
    while (atomic_exchange(&held, 1))
        ;
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
