// A second initialisation of a statically initialised object while a thread uses it; with BEFORE, before any thread does. With
// LOCKED, under the mutex of the condition variable; with WOKEN, there after the signal.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int ready;

#if defined(COND)
#define INIT pthread_cond_init(&cond, NULL)
#define DESTROY pthread_cond_destroy(&cond)
#elif defined(RWLOCK)
#define INIT pthread_rwlock_init(&rwlock, NULL)
#define DESTROY pthread_rwlock_destroy(&rwlock)
#else
#define INIT pthread_mutex_init(&mutex, NULL)
#define DESTROY pthread_mutex_destroy(&mutex)
#endif

static void *uses(void *arg) {
#if defined(COND)
    pthread_mutex_lock(&mutex);
    while (!ready) {
        pthread_cond_wait(&cond, &mutex); // BUG: deadlock
    }
    pthread_mutex_unlock(&mutex);
#elif defined(RWLOCK)
    pthread_rwlock_rdlock(&rwlock);
    ready++;
    pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse(unlock)
#else
    pthread_mutex_lock(&mutex);
    ready++;
    pthread_mutex_unlock(&mutex); // BUG: unlock-not-owner
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    (void)mutex, (void)cond, (void)rwlock;
#ifdef BEFORE
    INIT;
#endif
    pthread_create(&thread, NULL, uses, NULL);
#if !defined(BEFORE) && !defined(LOCKED) && !defined(WOKEN)
    INIT; // BUG: double-init rwlock-misuse(init)
#endif
#ifdef COND
    pthread_mutex_lock(&mutex);
#ifdef LOCKED
    INIT; // BUG: double-init
#endif
    ready = 1;
    pthread_cond_signal(&cond);
#ifdef WOKEN
    INIT; // BUG: double-init(woken)
#endif
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, NULL);
    DESTROY;
    return 0;
}
