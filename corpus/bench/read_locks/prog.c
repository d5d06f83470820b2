// Threads that take a lock for reading, again and again: a long run in which hardly two operations conflict.
#include <pthread.h>

#ifndef THREADS
#define THREADS 8
#endif
#ifndef ROUNDS
#define ROUNDS 4000
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, reads, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
