// A trylock before the other thread takes the mutex, while it has it, and after it has ended with it.
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

int main(void) {
    pthread_t t;
    make_robust();
    pthread_create(&t, NULL, dies, NULL);
    int error = pthread_mutex_trylock(&mutex);
    assert(error == 0 || error == EBUSY || error == EOWNERDEAD);
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    if (error != EBUSY)
        pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
