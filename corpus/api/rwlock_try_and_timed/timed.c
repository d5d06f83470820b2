// Timed locks beside a writer take the lock or expire. A time that is none, and a clock that is not for waiting, are refused.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0}, never = {0, -1};
    assert(pthread_rwlock_timedrdlock(&lock, &never) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &soon) == EINVAL);
    pthread_create(&t, NULL, thread, NULL);
    int result = pthread_rwlock_timedrdlock(&lock, &soon);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == 0)
        pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
