// Must be parked: each round keeps what it has seen in a variable that nobody reads.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int last_seen, looks_before;

static void *poller(void *arg) {
    int seen;
    do {
        seen = atomic_load(&flag);
        last_seen = seen + ++looks_before;
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
