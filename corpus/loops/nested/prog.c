// Must be parked: a loop that waits, inside of one that does not.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int steps[2];

static void *waits(void *arg) {
    for (int i = 0; i < 2; i++)
        while (!atomic_load(&steps[i]))
            ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&steps[0], 1);
    atomic_store(&steps[1], 1);
    pthread_join(thread, NULL);
    return 0;
}
