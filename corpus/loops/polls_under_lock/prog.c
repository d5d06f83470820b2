// Must be parked: a loop that looks under a mutex. Others notice nothing of it once the mutex is given back.
#include <pthread.h>

#ifndef THREADS
#define THREADS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *poller(void *arg) {
    int seen;
    do {
        pthread_mutex_lock(&mutex); // BUG: livelock
        seen = ready;
        pthread_mutex_unlock(&mutex);
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, poller, NULL);
#ifndef NEVER
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
