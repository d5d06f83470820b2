// A waker that signals and gives a lock back in one call, as the C library's condition variables once did: it sets the
// lock to free and, if somebody waits for the lock, wakes that one. If it does not look whether somebody does (BLIND), a
// thread that waits for the lock is left behind.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock = 1, signals;

static void *locker(void *arg) {
    while (atomic_exchange(&lock, 2) != 0)
        syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, NULL); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, locker, NULL);
#ifdef BLIND
    unsigned code = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 2);
#else
    unsigned code = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1);
#endif
    syscall(SYS_futex, &signals, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &lock, code);
    pthread_join(thread, NULL);
    return 0;
}
