// A thread that waits for what nobody writes is cancelled in its loop, which has no cancellation point. With DEFERRED, it is
// not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *thread(void *arg) {
#ifndef DEFERRED
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
#endif
    while (!atomic_load(&stop)) { // BUG: livelock
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    if (argc > 5)
        atomic_store(&stop, argv[5][0]); // never: there is no such argument
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
