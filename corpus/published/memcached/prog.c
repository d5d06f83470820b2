// memcached, issue 127: `incr` finds the item under the lock, gives the lock back, and stores the new value under the lock
// again: of two increments one may be lost. Fixed by one hold for both. WRONG == 1: as it was. There is no data race.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static long value = 10;

static void *increments(void *arg) {
    pthread_mutex_lock(&cache);
    long now = value;
#if WRONG
    pthread_mutex_unlock(&cache);
    pthread_mutex_lock(&cache);
#endif
    value = now + 1;
    pthread_mutex_unlock(&cache);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, increments, 0);
    pthread_create(&threads[1], 0, increments, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(value == 12); // BUG: assertion
    return 0;
}
