// A wait with the mutex; the signal comes without it, as is allowed.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signaller(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, signaller, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
