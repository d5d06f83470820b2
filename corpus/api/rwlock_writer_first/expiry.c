// A writer whose wait has a time limit takes the lock; before its call returns, other threads look at the lock.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int held, expired;

static int lock_in_time(void) {
    const struct timespec late = {2000000000, 0};
    return pthread_rwlock_timedwrlock(&rwlock, &late);
}

static void hold(void) {
    assert(held++ == 0);
    held--;
    assert(pthread_rwlock_unlock(&rwlock) == 0);
}

static void *reader(void *argument) {
    pthread_rwlock_rdlock(&rwlock);
    assert(held == 0);
    pthread_rwlock_unlock(&rwlock);
    return argument;
}

static void *writer(void *argument) {
    if (lock_in_time() == 0)
        hold();
    return argument;
}

static void *another(void *argument) {
    if (lock_in_time() == 0) {
        hold();
    } else {
        expired = 1;
        if (pthread_rwlock_tryrdlock(&rwlock) == 0) {
            assert(held == 0);
            pthread_rwlock_unlock(&rwlock);
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_create(&threads[2], 0, another, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(!BAD || !expired); // BUG: assertion
    return pthread_rwlock_destroy(&rwlock);
}
