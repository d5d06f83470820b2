// A thread whose cancellation is asynchronous is cancelled between two plain writes, which main sees after the join. With HELD,
// it is not.
#include <assert.h>
#include <pthread.h>

static int steps;

static void *thread(void *arg) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
#ifdef HELD
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
    *(volatile int *)&steps = 1;
    *(volatile int *)&steps = 2;
#ifdef HELD
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    assert(steps != 1); // BUG: assertion
    return 0;
}
