// Threads that wait for each other's locks with priority inheritance: the kernel refuses the last of them.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int words[THREADS];

static int lock(int at) { return syscall(SYS_futex, &words[at], FUTEX_LOCK_PI, 0, 0, 0, 0) ? errno : 0; }
static void unlock(int at) { syscall(SYS_futex, &words[at], FUTEX_UNLOCK_PI, 0, 0, 0, 0); }

static void *both(void *number) {
    int at = (int)(long)number;
    int own = at, next = (at + 1) % THREADS;
#ifdef ORDERED
    if (next < own) own = next, next = at;
#endif
    assert(lock(own) == 0);
    if (lock(next) == 0) unlock(next);
    unlock(own);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long at = 1; at < THREADS; at++) pthread_create(&threads[at], 0, both, (void *)at);
    both(0);
    for (int at = 1; at < THREADS; at++) pthread_join(threads[at], 0);
}
