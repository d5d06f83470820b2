// Main locks the mutex before the thread that dies with it, or after it; it sees what that thread has written.
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

static int half_done;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    half_done = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    make_robust();
    pthread_create(&t, NULL, dies, NULL);
    int error = pthread_mutex_lock(&mutex);
    assert(error == (half_done ? EOWNERDEAD : 0));
    if (error)
        pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
