// Must be parked: attempts to lock a mutex until one succeeds. It goes on when the mutex is given back.
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *thread(void *arg) {
    while (pthread_mutex_trylock(&mutex) != 0)
        ;
    turns++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
#ifdef NEVER
    pthread_mutex_lock(&mutex);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return turns - THREADS;
}
