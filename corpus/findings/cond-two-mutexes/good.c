// One condition variable with two mutexes, but never at the same time: the binding ends with the last waiter.
#include <pthread.h>

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

struct round {
    pthread_mutex_t mutex;
    int ready;
};

static struct round rounds[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *announce(void *arg) {
    struct round *round = arg;
    pthread_mutex_lock(&round->mutex);
    round->ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&round->mutex);
    return NULL;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, announce, &rounds[i]);
        pthread_mutex_lock(&rounds[i].mutex);
        while (!rounds[i].ready)
            pthread_cond_wait(&cond, &rounds[i].mutex);
        pthread_mutex_unlock(&rounds[i].mutex);
        pthread_join(t, NULL);
    }
    return 0;
}
