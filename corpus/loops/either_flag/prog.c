// Must be parked: the thread waits for one of two flags.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *waits(void *arg) {
    while (!atomic_load(&first) && !atomic_load(&second))
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&second, 1);
    pthread_join(thread, NULL);
    atomic_store(&first, 0); // so that it is no constant
    return 0;
}
