// WORKERS detached threads mark themselves as running, work, and take the mark back when they end. A manager asks
// the one created last to go on, by a signal that it blocks, if it is marked. The worker may take back its mark and
// end between the manager's look and its signal: then the signal goes to a thread that is no longer there.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_t threads[WORKERS];
static atomic_int running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number) {
    int watched = (long)number == WORKERS - 1;
    make_noise();
    if (watched)
        atomic_store(&running, 1);
    make_noise();
    pthread_mutex_lock(&lock);
    if (watched)
        atomic_store(&running, 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *manage(void *unused) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&lock);
#endif
    if (atomic_load(&running))
        pthread_kill(threads[WORKERS - 1], SIGUSR1); // BUG: thread-gone
#ifdef CORRECT
    pthread_mutex_unlock(&lock);
#endif
    make_noise();
    return unused;
}

int main(void) {
    pthread_t manager;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], &detached, work, (void *)i);
    pthread_create(&manager, NULL, manage, NULL);
    pthread_join(manager, NULL);
    pthread_exit(NULL);
}
