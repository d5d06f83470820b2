// Must be parked: two fields of a structure that a global pointer leads to.
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_int a, b;
} shared, *volatile through = &shared;

static void *poller(void *arg) {
    int all;
    do {
        all = 1;
        all &= atomic_load(&through->a);
        all &= atomic_load(&through->b);
    } while (!all);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&shared.a, 1);
    atomic_store(&shared.b, 1);
    pthread_join(thread, NULL);
    return 0;
}
