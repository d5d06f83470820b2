// Must be parked: a wait for either of two flags.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *waiter(void *arg) {
    while (!atomic_load(&a) && !atomic_load(&b))
        ;
    return arg;
}

static void *setter(void *arg) {
    atomic_store((atomic_int *)arg, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, setter, &a);
    pthread_create(&threads[2], NULL, setter, &b);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
