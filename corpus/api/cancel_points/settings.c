// Settings that do not exist are refused and change nothing.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    int before = 7;
    assert(pthread_setcancelstate(5, &before) == EINVAL && before == 7);
    assert(pthread_setcanceltype(-1, &before) == EINVAL && before == 7);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return 0;
}
