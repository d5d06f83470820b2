// A mutex and a condition variable that processes may share hand a value over between threads.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_cond_t changed;
static int value;

static void *thread(void *arg) {
#ifndef UNLOCKED
    pthread_mutex_lock(&mutex);
#endif
    value = 1; // BUG: data-race
    pthread_cond_signal(&changed);
#ifndef UNLOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_cond;
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&mutex, &of_mutex);
    pthread_condattr_init(&of_cond);
    pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&changed, &of_cond);
    pthread_create(&t, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    while (!value)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    pthread_cond_destroy(&changed);
    pthread_mutex_destroy(&mutex);
    return 0;
}
