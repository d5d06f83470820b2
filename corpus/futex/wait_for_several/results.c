// What futex_waitv returns where it does not wait. One thread. Measured on Linux 6.18.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint words[FUTEX_WAITV_MAX + 1];
static struct futex_waitv list[FUTEX_WAITV_MAX + 1];
static const struct timespec past = {1, 0}, invalid = {0, 1000000000};

static void call(unsigned count, unsigned flags, const struct timespec *until, int clock, int error) {
    errno = 0;
    assert(syscall(SYS_futex_waitv, list, count, flags, until, clock) == -1 && errno == error);
}

int main(void) {
    for (int i = 0; i <= FUTEX_WAITV_MAX; i++)
        list[i] = (struct futex_waitv){.uaddr = (uintptr_t)&words[i], .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
    call(2, 0, &past, CLOCK_MONOTONIC, ETIMEDOUT);
    call(1, 0, &past, CLOCK_REALTIME, ETIMEDOUT);
    call(FUTEX_WAITV_MAX, 0, &past, CLOCK_REALTIME, ETIMEDOUT);
    call(FUTEX_WAITV_MAX + 1, 0, &past, CLOCK_REALTIME, EINVAL);
    call(0, 0, NULL, 0, EINVAL);
    call(2, 1, NULL, 0, EINVAL);
    call(2, 0, &past, CLOCK_PROCESS_CPUTIME_ID, EINVAL);
    call(2, 0, &invalid, CLOCK_REALTIME, EINVAL);
    list[1].val = 1;
    call(2, 0, NULL, 0, EAGAIN);
    list[1].uaddr++;
    call(2, 0, NULL, 0, EINVAL);
    list[1].uaddr = 4096;
    call(2, 0, NULL, 0, EFAULT);
    list[1].flags = 0;
    call(2, 0, NULL, 0, EINVAL);
    list[1] = list[2];
    list[1].__reserved = 1;
    call(2, 0, NULL, 0, EINVAL);
    return 0;
}
