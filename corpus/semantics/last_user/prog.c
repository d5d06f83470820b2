// Whoever uses an object last ends it, at once: POSIX allows that for a condition variable after a broadcast, a barrier after
// its round, a semaphore after the wait and a mutex after the unlock.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#if defined COND
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int go;

static void *other(void *arg) {
    pthread_mutex_lock(&mutex);
    while (!go)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void end(void) {
    pthread_mutex_lock(&mutex);
    go = 1;
    pthread_cond_broadcast(&cond);
    pthread_cond_destroy(&cond);
    pthread_mutex_unlock(&mutex);
}
#elif defined BARRIER
static pthread_barrier_t barrier;

__attribute__((constructor)) static void begin(void) {
    pthread_barrier_init(&barrier, NULL, 2);
}

static void *other(void *arg) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier);
    return arg;
}

static void end(void) {
    other(NULL);
}
#elif defined SEMAPHORE
static sem_t *semaphore;

__attribute__((constructor)) static void begin(void) {
    semaphore = malloc(sizeof *semaphore);
    sem_init(semaphore, 0, 0);
}

static void *other(void *arg) {
    sem_post(semaphore);
    return arg;
}

static void end(void) {
    sem_wait(semaphore);
    sem_destroy(semaphore);
    free(semaphore);
}
#else
static struct { pthread_mutex_t mutex; int users; } *shared;

__attribute__((constructor)) static void begin(void) {
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->mutex, NULL);
    shared->users = 2;
}

static void end(void) {
    pthread_mutex_lock(&shared->mutex);
    int users = --shared->users; // BUG: heap-use-after-free
#ifdef EARLY
    users = 0;
#endif
    pthread_mutex_unlock(&shared->mutex);
    if (users == 0) {
        pthread_mutex_destroy(&shared->mutex);
        free(shared);
    }
}

static void *other(void *arg) {
    end();
    return arg;
}
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    end();
    pthread_join(thread, NULL);
    return 0;
}
