// To wait with a mutex that was not made consistent is not modelled, and named.
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

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex);
    return 0;
}
