// The second owner dies as well, without having repaired anything: the third is told.
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
    int error = pthread_mutex_lock(&mutex);
    assert(error == (arg ? EOWNERDEAD : 0));
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, dies, i ? &mutex : NULL);
        pthread_join(t, NULL);
    }
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    pthread_mutex_destroy(&mutex);
    return 0;
}
