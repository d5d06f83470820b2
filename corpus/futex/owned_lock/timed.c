// A thread waits for some time for a lock that main owns: it gives up, or the lock is handed over to it. With TRUSTS, it
// does not look which of the two it was, and unlocks a lock that is not its own.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word;
static const struct timespec until = {2000000000, 0};

static void *waiter(void *arg) {
    long result = syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, &until, NULL, 0);
#ifndef TRUSTS
    if (result != 0) {
        assert(errno == ETIMEDOUT);
        return arg;
    }
#endif
    result = syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
    assert(result == 0); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t thread;
    syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
