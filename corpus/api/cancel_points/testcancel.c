// A thread that is cancelled at the second of two cancellation points, or at the first, or ends by itself.
#include <assert.h>
#include <pthread.h>

static void *thread(void *arg) {
    pthread_testcancel();
    pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == NULL || result == PTHREAD_CANCELED);
    return 0;
}
