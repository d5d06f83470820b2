// Must be parked, and woken by a write to what a round only writes: the responder answers again after its answer was taken.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int request, answer;

static void *responder(void *arg) {
    int seen;
    do {
        seen = atomic_load(&request);
        atomic_store(&answer, seen);
    } while (seen != 2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, responder, NULL);
    atomic_store(&request, 1);
    while (atomic_load(&answer) != 1)
        ;
    atomic_store(&answer, 0);
    while (atomic_load(&answer) != 1)
        ;
    atomic_store(&request, 2);
    pthread_join(thread, NULL);
    return 0;
}
