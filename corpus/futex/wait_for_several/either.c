// A thread that waits for two words is woken at either, and told at which. With TIMED, it may give up. With UNCHANGED, a waker
// does not change its word before it wakes, so that the wake may come too early.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint words[2];
static struct futex_waitv both[2];

static void *waker(void *arg) {
    uintptr_t at = (uintptr_t)arg;
#ifndef UNCHANGED
    atomic_store(&words[at], 1);
#endif
    syscall(SYS_futex, &words[at], FUTEX_WAKE_PRIVATE, 1);
    return arg;
}

int main(void) {
    pthread_t threads[WAKERS];
    for (uintptr_t i = 0; i < 2; i++)
        both[i] = (struct futex_waitv){.uaddr = (uintptr_t)&words[i], .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
    for (uintptr_t i = 0; i < WAKERS; i++)
        pthread_create(&threads[i], NULL, waker, (void *)(i % 2));
#ifdef TIMED
    static const struct timespec until = {2000000000, 0};
    long told = syscall(SYS_futex_waitv, both, 2, 0, &until, CLOCK_MONOTONIC);
#else
    long told = syscall(SYS_futex_waitv, both, 2, 0, NULL, 0); // BUG: deadlock
#endif
#ifndef UNCHANGED
    if (told >= 0)
        assert(told < WAKERS && atomic_load(&words[told]) == 1);
    else
        assert(errno == EAGAIN || errno == ETIMEDOUT);
#endif
    for (int i = 0; i < WAKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
