// A condition variable is freed after a broadcast, when nobody waits at it. Who was woken may not have left it yet:
// destroying the condition variable waits for that, also while the mutex is held.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *cond;
static int waits, go;

static void unlock(void *unused) {
#ifdef TOLD
    waits = 0;
#endif
    pthread_mutex_unlock(&mutex);
    (void)unused;
}

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    waits = 1;
    pthread_cleanup_push(unlock, NULL);
    while (!go) {
#ifdef TIMED
        if (pthread_cond_timedwait(cond, &mutex, &(struct timespec){ 0 })) // BUG: heap-use-after-free
            break;
#else
        pthread_cond_wait(cond, &mutex); // BUG: heap-use-after-free
#endif
#ifdef ONCE
        break;
#endif
    }
    pthread_cleanup_pop(1);
    return unused;
}

static void end(void) {
#ifdef DESTROYED
    pthread_cond_destroy(cond);
#endif
    free(cond);
    cond = NULL;
}

int main(void) {
    pthread_t thread;
    cond = malloc(sizeof *cond);
    pthread_cond_init(cond, NULL);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&mutex);
    int waiting = waits;
    go = 1;
#ifdef CANCELLED
    pthread_cancel(thread);
#endif
    pthread_cond_broadcast(cond);
#ifdef HELD
    if (waiting)
        end();
#endif
    pthread_mutex_unlock(&mutex);
#ifdef TOLD
    pthread_mutex_lock(&mutex);
    waiting = waiting && !waits;
    pthread_mutex_unlock(&mutex);
#endif
#ifndef HELD
    if (waiting)
        end();
#endif
    pthread_join(thread, NULL);
    if (cond) {
        pthread_cond_destroy(cond);
        free(cond);
    }
}
