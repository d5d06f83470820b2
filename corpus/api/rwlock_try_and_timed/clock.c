// Timed locks where nobody else has the lock, and for its own writer.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    struct timespec soon = {2000000000, 0};
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon) == 0);
    assert(pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &soon) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &soon) == EDEADLK);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return 0;
}
