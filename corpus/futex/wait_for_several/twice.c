// Waits for the same word twice, which is not modelled: a wake of one would wake one of the two waits.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word;
static struct futex_waitv both[2];

int main(void) {
    static const struct timespec past = {1, 0};
    for (int i = 0; i < 2; i++)
        both[i] = (struct futex_waitv){.uaddr = (uintptr_t)&word, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
    syscall(SYS_futex_waitv, both, 2, 0, &past, CLOCK_MONOTONIC);
    return 0;
}
