// Detached workers have a buffer each, which the destructor of a key gives back to a pool when they end. Main waits
// until all workers have counted themselves out, and frees the pool. They do so at the end of their function, which
// is before the destructor runs.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

static pthread_key_t key;
static sem_t finished;
static atomic_int *pool;

static void give_back(void *buffer) {
    (void)buffer;
    atomic_fetch_add(pool, 1); // BUG: heap-use-after-free data-race
    make_noise();
#ifdef CORRECT
    sem_post(&finished);
#endif
}

static void *work(void *unused) {
    (void)unused;
    make_noise();
    pthread_setspecific(key, &pool[0]);
    make_noise();
#ifndef CORRECT
    sem_post(&finished);
#endif
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sem_init(&finished, 0, 0);
    pthread_key_create(&key, give_back);
    pool = calloc(1, sizeof *pool);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker, &detached, work, NULL);
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&finished);
    for (int i = 0; i < LATER; i++)
        make_noise();
    free(pool); // BUG: data-race
    pthread_exit(NULL);
}
