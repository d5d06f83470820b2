// What the system call returns, and errno, as the manual page says: one thread, so nothing is left open.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word[2];

static long call(void *at, int operation, unsigned value, const struct timespec *timeout, unsigned bits) {
    errno = 0;
    return syscall(SYS_futex, at, operation, value, timeout, NULL, bits);
}

static void fails(long result, int error) {
    assert(result == -1 && errno == error);
}

int main(void) {
    struct timespec length = {0, 1000}, bad = {0, 1000000000}, negative = {-1, 0};
    assert(call(word, FUTEX_WAKE, 1, NULL, 0) == 0);
    assert(call(word, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, 0) == 0);
    assert(call(word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, FUTEX_BITSET_MATCH_ANY) == 0);
    assert(call(word, FUTEX_WAKE_BITSET, 1, NULL, 4) == 0);
    fails(call(word, FUTEX_WAKE_BITSET, 1, NULL, 0), EINVAL);
    fails(call(word, FUTEX_WAIT_BITSET, 1, NULL, 4), EAGAIN);
    fails(call(word, FUTEX_WAIT, 1, NULL, 0), EAGAIN);
    fails(call(word, FUTEX_WAIT_BITSET_PRIVATE, 1, NULL, FUTEX_BITSET_MATCH_ANY), EAGAIN);
    fails(call(word, FUTEX_WAIT_BITSET, 0, NULL, 0), EINVAL);
    fails(call(word, FUTEX_WAIT, 0, &length, 0), ETIMEDOUT);
    fails(call(word, FUTEX_WAIT, 1, &length, 0), EAGAIN);
    fails(call(word, FUTEX_WAIT, 0, &bad, 0), EINVAL);
    fails(call(word, FUTEX_WAIT, 0, &negative, 0), EINVAL);
    fails(call(word, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &length, 0), ENOSYS);
    fails(call((char *)word + 1, FUTEX_WAIT, 0, NULL, 0), EINVAL);
    fails(call((char *)word + 2, FUTEX_WAKE, 1, NULL, 0), EINVAL);
    fails(call((void *)(uintptr_t)4096, FUTEX_WAIT, 0, NULL, 0), EFAULT);
    atomic_store(&word[1], 7);
    fails(call(&word[1], FUTEX_WAIT, 0, NULL, 0), EAGAIN);
    struct timespec past = {1, 0};
    fails(call(word, FUTEX_WAIT_BITSET, 0, &past, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
    fails(call(word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &past, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
    return 0;
}
