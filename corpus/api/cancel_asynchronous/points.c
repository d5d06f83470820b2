// A thread whose cancellation is asynchronous is cancelled before any of its operations, or not at all. With HELD, it cannot be
// cancelled between two of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int one, other;

static void *thread(void *arg) {
    int before;
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
#ifdef HELD
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    atomic_store(&one, 1);
    atomic_store(&other, 1);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
#else
    atomic_store(&one, 1);
    atomic_store(&other, 1);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED || (one == 1 && other == 1));
#ifdef HELD
    assert(one == other);
#else
    assert(one >= other);
#endif
    return 0;
}
