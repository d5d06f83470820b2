// A long run whose orders differ only at its end: main works alone for a while, then three threads take one mutex.
#include <pthread.h>

#ifndef BEFORE
#define BEFORE 720
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif
enum { THREADS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(void) {
    pthread_mutex_lock(&mutex);
    total++;
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *arg) {
    for (int i = 0; i < ROUNDS; i++)
        add();
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < BEFORE; i++)
        add();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return total == BEFORE + THREADS * ROUNDS ? 0 : 1;
}
