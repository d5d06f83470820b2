// What FUTEX_REQUEUE and FUTEX_CMP_REQUEUE return where nobody waits, and errors. One thread. Measured on Linux 6.18: both
// return how many were woken or moved, although the manual page says of the first one that it returns how many were woken.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint words[2];

static void call(void *from, int operation, int wakes, int moves, void *to, unsigned expected, long result, int error) {
    errno = 0;
    assert(syscall(SYS_futex, from, operation, wakes, (long)moves, to, expected) == result && errno == error);
}

int main(void) {
    static const int operations[] = {FUTEX_REQUEUE, FUTEX_CMP_REQUEUE};
    for (int i = 0; i < 2; i++) {
        call(&words[0], operations[i], 1, 1, &words[1], 0, 0, 0);
        call(&words[0], operations[i] | FUTEX_PRIVATE_FLAG, 0, 0x7fffffff, &words[0], 0, 0, 0);
        call(&words[0], operations[i], -1, 1, &words[1], 0, -1, EINVAL);
        call(&words[0], operations[i], 1, -1, &words[1], 0, -1, EINVAL);
        call((char *)&words[0] + 1, operations[i], 1, 1, &words[1], 0, -1, EINVAL);
        call(&words[0], operations[i], 1, 1, (char *)&words[1] + 2, 0, -1, EINVAL);
        call(&words[0], operations[i] | FUTEX_CLOCK_REALTIME, 1, 1, &words[1], 0, -1, ENOSYS);
    }
    call(&words[0], FUTEX_REQUEUE, 1, 1, &words[1], 7, 0, 0);
    call(&words[0], FUTEX_CMP_REQUEUE, 1, 1, &words[1], 7, -1, EAGAIN);
    call((void *)4096, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &words[1], 0, -1, EFAULT);
    return 0;
}
