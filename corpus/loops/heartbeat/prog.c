// Must be parked, and woken by a write to what a round only writes: a round that writes the value which is there already
// changes nothing until somebody else writes another one.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int alive, stop;

static void *worker(void *arg) {
    while (!atomic_load(&stop))
        atomic_store(&alive, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        atomic_store(&alive, 0);
        while (!atomic_load(&alive))
            ;
    }
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
