// A wait with a timeout, relative or (ABSOLUTE) at a time of a clock: it may expire or be woken. One that expires before
// the word is set has to be taken into account; who believes that it was woken (TRUSTS) reads too early.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, data;

static void *waiter(void *arg) {
    struct timespec timeout = {1, 0};
#ifdef ABSOLUTE
    timeout.tv_sec = 2000000000;
    long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &timeout, NULL,
                          FUTEX_BITSET_MATCH_ANY);
#else
    long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &timeout);
#endif
#ifdef TRUSTS
    (void)result;
#else
    if (result == -1 && errno == ETIMEDOUT)
        return arg;
#endif
    assert(atomic_load(&data) == 1); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&data, 1);
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    pthread_join(thread, NULL);
    return 0;
}
