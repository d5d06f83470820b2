// The cleanup handler of a thread whose cancellation is asynchronous gives back what the thread has taken. Whether it has is
// looked up: the thread may be cancelled before it has noted it (BLIND).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int units, taken;

static void give_back(void *arg) {
    (void)arg;
#ifdef BLIND
    atomic_fetch_add(&units, 1);
#else
    atomic_fetch_add(&units, atomic_load(&taken));
#endif
}

static void *thread(void *arg) {
    pthread_cleanup_push(give_back, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    atomic_fetch_sub(&units, 1);
    atomic_store(&taken, 1);
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t t;
    atomic_store(&units, 1);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    assert(units == 1); // BUG: assertion
    return 0;
}
