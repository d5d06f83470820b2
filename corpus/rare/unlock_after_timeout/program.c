// THREADS threads lock a mutex, and each waits a limited time for it. The one created last goes to its cleanup with
// the mutex or without it, and remembers which in a variable that it shares with the others by mistake: if its wait
// has ended and another thread has got the mutex then, it unlocks what it does not hold.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int locked[THREADS];

static void *use(void *number) {
    for (int i = 0; (long)number == THREADS - 1 && i < LATER; i++)
        make_noise();
#ifdef CORRECT
    atomic_int *mine = &locked[(long)number];
#else
    atomic_int *mine = &locked[(long)number == THREADS - 1 ? 0 : (long)number];
#endif
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &end) == 0)
        atomic_store(mine, 1);
    if (atomic_load(mine)) {
        atomic_store(mine, 0);
        pthread_mutex_unlock(&lock); // BUG: unlock-not-owner
    }
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
