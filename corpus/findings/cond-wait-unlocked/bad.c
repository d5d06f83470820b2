// A wait without the mutex.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *signaller(void *arg) {
    (void)arg;
    pthread_cond_signal(&cond);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, signaller, NULL);
    pthread_cond_wait(&cond, &mutex); // BUG: cond-wait-unlocked
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
