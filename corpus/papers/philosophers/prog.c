// Two philosophers who both take fork 1, then fork 2, with a condition variable for each fork.
// Figure 7 of the Inspect paper.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t f1_free = PTHREAD_COND_INITIALIZER, f2_free = PTHREAD_COND_INITIALIZER;
static int f1_owner, f2_owner;

static void take(pthread_mutex_t *fork, pthread_cond_t *is_free, int *owner, int me) {
    pthread_mutex_lock(fork);
    while (*owner != 0)
        pthread_cond_wait(is_free, fork);
    *owner = me;
    pthread_mutex_unlock(fork);
}

static void put(pthread_mutex_t *fork, pthread_cond_t *is_free, int *owner, int me) {
    pthread_mutex_lock(fork);
    assert(*owner == me);
    *owner = 0;
    pthread_mutex_unlock(fork);
    pthread_cond_signal(is_free);
}

static void *philosopher(void *arg) {
    int me = (int)(intptr_t)arg;
    take(&f1, &f1_free, &f1_owner, me);
    take(&f2, &f2_free, &f2_owner, me);
    put(&f1, &f1_free, &f1_owner, me);
    put(&f2, &f2_free, &f2_owner, me);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, philosopher, (void *)(intptr_t)1);
    pthread_create(&b, NULL, philosopher, (void *)(intptr_t)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
