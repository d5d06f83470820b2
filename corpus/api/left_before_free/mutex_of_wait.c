// A mutex is ended while a thread that was woken at a condition variable has not taken the mutex again.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waits, go;

static void *wait(void *own) {
    pthread_mutex_lock(own);
    waits = 1;
    while (!go)
        pthread_cond_wait(&cond, own); // BUG: heap-use-after-free
    // The thread keeps the mutex.
    return NULL;
}

int main(void) {
    pthread_t thread;
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_create(&thread, NULL, wait, mutex);
    pthread_mutex_lock(mutex);
    int waiting = waits;
    go = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(mutex);
#ifdef JOINED
    pthread_join(thread, NULL);
    free(mutex);
#else
    if (waiting)
        free(mutex);
    pthread_join(thread, NULL);
#endif
}
