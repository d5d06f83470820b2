// Two threads want a mutex that is lost: one waits for it, one tries, and may find it held by the other one.
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

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

static void *tries(void *arg) {
    int error = pthread_mutex_trylock(&mutex);
    assert(error == ENOTRECOVERABLE || error == EBUSY);
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_create(&t, NULL, tries, NULL);
    assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
