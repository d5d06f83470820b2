// THREADS threads, each K times: lock, increment, unlock, all on one mutex.
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef K
#define K 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *thread(void *arg) {
    (void)arg;
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&mutex);
        x++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(x == THREADS * K);
    return 0;
}
