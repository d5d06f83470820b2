// A trylock beside another thread's lock of a mutex that is not recoverable: in the moment in which that thread holds the
// mutex, the attempt is told that it is held, otherwise that it is not recoverable.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

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
    int error = pthread_mutex_trylock(&mutex);
    assert(error == ENOTRECOVERABLE || error == EBUSY);
#ifdef NEVER_BUSY
    assert(error != EBUSY); // BUG: assertion
#endif
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
