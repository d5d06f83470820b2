// A helper that sleeps by waiting for what nobody signals. Two threads call it, each with a mutex of its own; with SHARED, with
// one; with ORDERED, one after the other.
#include <pthread.h>
#include <time.h>

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void sleep_long(pthread_mutex_t *mutex) {
    const struct timespec until = {2000000000, 0};
    pthread_mutex_lock(mutex);
    pthread_cond_timedwait(&cond, mutex, &until); // BUG: cond-two-mutexes
    pthread_mutex_unlock(mutex);
}

static void *thread(void *arg) {
    sleep_long(&first);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
#ifdef ORDERED
    pthread_join(t, NULL);
#endif
#ifdef SHARED
    sleep_long(&first);
#else
    sleep_long(&second);
#endif
#ifndef ORDERED
    pthread_join(t, NULL);
#endif
    return 0;
}
