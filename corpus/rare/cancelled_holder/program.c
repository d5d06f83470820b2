// Workers lock a mutex, and the one created last says that it is busy, and looks for its cancellation, while it
// holds it. It has no cleanup handler: if the manager finds it busy and cancels it at that moment, the mutex stays
// locked for ever.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int busy;
static int lines;

static void unlock(void *held) {
    pthread_mutex_unlock(held);
}

static void *work(void *is_watched) {
    make_noise();
    pthread_mutex_lock(&lock); // BUG: deadlock
#ifdef CORRECT
    pthread_cleanup_push(unlock, &lock);
#else
    pthread_cleanup_push(unlock, &lock);
    pthread_cleanup_pop(0);
#endif
    lines++;
    if (is_watched) {
        atomic_store(&busy, 1);
        pthread_testcancel();
        atomic_store(&busy, 0);
    }
#ifdef CORRECT
    pthread_cleanup_pop(1);
#else
    pthread_mutex_unlock(&lock);
#endif
    make_noise();
    return NULL;
}

static void *cancel(void *thread) {
    make_noise();
    if (atomic_load(&busy))
        pthread_cancel(*(pthread_t *)thread);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS], manager;
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, (void *)(i / (WORKERS - 1)));
    pthread_create(&manager, NULL, cancel, &workers[WORKERS - 1]);
    pthread_join(manager, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL); // BUG: lost-thread
    return 0;
}
