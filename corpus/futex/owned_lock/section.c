// A section under a lock with priority inheritance, by the protocol of futex(2): the fast paths are compare-exchanges of the
// word, and the kernel is asked where they fail. With FORGETS, the unlock does not look whether somebody waits.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LOCK
#define LOCK FUTEX_LOCK_PI_PRIVATE
#endif

static atomic_uint word;
static int inside; // guarded by the lock, not atomic

static void lock(unsigned self) {
    unsigned free = 0;
    if (!atomic_compare_exchange_strong(&word, &free, self))
        assert(syscall(SYS_futex, &word, LOCK, 0, NULL, NULL, 0) == 0); // BUG: deadlock
    assert((word & FUTEX_TID_MASK) == self);
}

static void unlock(unsigned self) {
#ifdef FORGETS
    atomic_store(&word, 0);
    (void)self;
#else
    if (!atomic_compare_exchange_strong(&word, &self, 0))
        assert(syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
#endif
}

static void *thread(void *arg) {
    unsigned self = (unsigned)syscall(SYS_gettid);
    lock(self);
    inside++;
    unlock(self);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(inside == 2);
    return 0;
}
