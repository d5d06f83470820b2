// Must be parked: a loop around a waiting loop, with a store that happens once in a round, before the inner loop waits.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int over, ready, passes;

static void *poller(void *arg) {
    for (;;) {
        int last = atomic_load(&over), stored = 0;
        while (!atomic_load(&ready))
            if (!stored) {
                atomic_fetch_add(&passes, 1);
                stored = 1;
            }
        if (last)
            break;
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&ready, 1);
    atomic_store(&ready, 0);
    atomic_store(&ready, 1);
    atomic_store(&over, 1);
    int seen = atomic_load(&passes);
    pthread_join(thread, NULL);
    return seen > 9;
}
