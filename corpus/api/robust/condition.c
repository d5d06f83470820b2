// The thread that signals dies with the mutex: the waiter is told, or main before it waits.
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
static int ready;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    pthread_create(&t, NULL, dies, NULL);
    int error = pthread_mutex_lock(&mutex);
    while (!ready)
        error = pthread_cond_wait(&changed, &mutex);
    assert(error == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
