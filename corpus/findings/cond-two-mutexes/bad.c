// Two threads wait on one condition variable, each with a mutex of its own.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int first_ready, second_ready;

static void *one(void *arg) {
    (void)arg;
    pthread_mutex_lock(&first);
    while (!first_ready)
        pthread_cond_wait(&cond, &first); // BUG: cond-two-mutexes
    pthread_mutex_unlock(&first);
    return NULL;
}

static void *two(void *arg) {
    (void)arg;
    pthread_mutex_lock(&second);
    while (!second_ready)
        pthread_cond_wait(&cond, &second); // BUG: cond-two-mutexes
    pthread_mutex_unlock(&second);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_mutex_lock(&first);
    first_ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    second_ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
