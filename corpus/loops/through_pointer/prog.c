// Must be parked: the function that looks is called through a pointer.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static int look(void) {
    return atomic_load(&flag);
}

static int (*volatile looks)(void) = look;

static void *poller(void *arg) {
    while (!looks())
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
