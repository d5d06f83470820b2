// What the calls return, in one thread; a timed writer that gives up keeps nobody out.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int data;

static void *timed(void *arg) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int result = pthread_rwlock_timedwrlock(&lock, &now);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == 0)
        pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    assert(pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    pthread_rwlock_t own;
    assert(pthread_rwlock_init(&own, &kind) == 0);
    pthread_rwlockattr_destroy(&kind);
    assert(pthread_rwlock_wrlock(&own) == 0);
    assert(pthread_rwlock_wrlock(&own) == EDEADLK && pthread_rwlock_rdlock(&own) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&own) == EBUSY && pthread_rwlock_trywrlock(&own) == EBUSY);
    assert(pthread_rwlock_unlock(&own) == 0);
    assert(pthread_rwlock_rdlock(&own) == 0 && pthread_rwlock_rdlock(&own) == 0);
    assert(pthread_rwlock_trywrlock(&own) == EBUSY);
    assert(pthread_rwlock_unlock(&own) == 0 && pthread_rwlock_unlock(&own) == 0);
    assert(pthread_rwlock_destroy(&own) == 0);

    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, timed, NULL);
    pthread_join(thread, NULL);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return data;
}
