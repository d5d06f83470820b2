// What is refused: an unlock by another thread, and to make consistent what is.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void make_robust(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

static void *unlocks(void *arg) {
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_consistent(&plain) == EINVAL);
    pthread_mutex_lock(&mutex);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    pthread_create(&t, NULL, unlocks, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
