// Workers wait until there is work or the queue is closed. Who closes it sets the flag without the lock, so it can do
// so, and wake everybody, between a worker's look and its wait.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs = WORKERS - 1;
static atomic_int closed;

static void *worker(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    while (jobs == 0 && !atomic_load(&closed))
        pthread_cond_wait(&changed, &lock); // BUG: deadlock
    if (jobs > 0)
        jobs--;
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *close_queue(void *unused) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&closed, 1);
    pthread_cond_broadcast(&changed);
#ifdef CORRECT
    pthread_mutex_unlock(&lock);
#endif
    make_noise();
    return unused;
}

int main(void) {
    pthread_t workers[WORKERS], closing;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    pthread_create(&closing, NULL, close_queue, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(closing, NULL);
    pthread_cond_destroy(&changed);
    pthread_mutex_destroy(&lock);
    return 0;
}
