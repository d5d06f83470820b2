// A trylock beside another thread's lock of a mutex that is not recoverable: in the moment in which that thread holds the
// mutex, the attempt is told that it is held, otherwise that it is not recoverable. TIMED: an attempt with a time limit,
// of which the time comes in that moment.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

static void *locks(void *arg) {
    assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t t;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_create(&t, NULL, locks, NULL);
#ifdef TIMED
    int error = pthread_mutex_timedlock(&mutex, &(struct timespec){0}), refused = ETIMEDOUT;
#else
    int error = pthread_mutex_trylock(&mutex), refused = EBUSY;
#endif
    assert(error == ENOTRECOVERABLE || error == refused);
#ifdef NEVER_BUSY
    assert(error != refused); // BUG: assertion
#endif
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
