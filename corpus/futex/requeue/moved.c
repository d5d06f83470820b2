// A waiter that is moved to another word is woken there, and no longer where it has begun to wait. If its wait has a
// timeout (TIMED), it may expire there as well. A waker that goes on waking at the first word (BEHIND) leaves it behind.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint one, other;

static void *waiter(void *arg) {
#ifdef TIMED
    const struct timespec length = {1, 0};
    syscall(SYS_futex, &one, FUTEX_WAIT_PRIVATE, 0, &length);
#else
    syscall(SYS_futex, &one, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: deadlock
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    if (syscall(SYS_futex, &one, FUTEX_REQUEUE_PRIVATE, 0, 1L, &other, 0) == 0) {
        atomic_store(&one, 1);
        syscall(SYS_futex, &one, FUTEX_WAKE_PRIVATE, 1);
    } else {
#ifdef BEHIND
        syscall(SYS_futex, &one, FUTEX_WAKE_PRIVATE, 1);
#else
        syscall(SYS_futex, &other, FUTEX_WAKE_PRIVATE, 1);
#endif
    }
    pthread_join(thread, NULL);
    return 0;
}
