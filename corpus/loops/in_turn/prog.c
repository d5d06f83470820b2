// Must be parked: the loop looks at two flags in turn.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[2];

static void *waits(void *arg) {
    int at = 0;
    while (!atomic_load(&flags[at]))
        at = 1 - at;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flags[1], 1);
    pthread_join(thread, NULL);
    return 0;
}
