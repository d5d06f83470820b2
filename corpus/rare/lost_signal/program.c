// A queue's worker looks whether there is work, and only then takes the lock that it waits with: work that is announced
// in between is announced to nobody. OTHERS threads use the same lock and signal nothing.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t announced = PTHREAD_COND_INITIALIZER;
static atomic_int work;
static int used;

static void *worker(void *unused) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&lock);
    while (!atomic_load(&work))
        pthread_cond_wait(&announced, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&work)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&announced, &lock); // BUG: deadlock
        pthread_mutex_unlock(&lock);
    }
#endif
    make_noise();
    return unused;
}

static void *other(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    used++;
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *announce(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    atomic_store(&work, 1);
    pthread_cond_signal(&announced);
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t announcer, others[OTHERS], working;
    pthread_create(&announcer, NULL, announce, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, other, NULL);
    pthread_create(&working, NULL, worker, NULL);
    pthread_join(announcer, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    pthread_join(working, NULL);
    pthread_cond_destroy(&announced);
    pthread_mutex_destroy(&lock);
    return 0;
}
