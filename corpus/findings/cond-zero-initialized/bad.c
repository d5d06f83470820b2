// A condition variable with static storage and without an initialiser.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static int ready;

static void *signaller(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition); // BUG: cond-zero-initialized
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex); // BUG: cond-zero-initialized
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
