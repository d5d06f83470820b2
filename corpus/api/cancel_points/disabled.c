// A request that comes while cancellation is disabled is kept until it is enabled again.
#include <assert.h>
#include <pthread.h>

static int done;

static void *thread(void *arg) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    assert(before == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    done = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    assert(before == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(done == 1);
    assert(result == NULL || result == PTHREAD_CANCELED);
    return 0;
}
