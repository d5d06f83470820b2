// A wake of two is one step: if it says that it woke two threads, both have been woken, and none of them twice. Each waits
// again for the other, so a call that woke one of them twice would leave the other one waiting.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, done;

static long wake(int count) {
    return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count);
}

static void wait(void) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void *waiter(void *arg) {
    wait();
    if (atomic_fetch_add(&done, 1) == 0) {
        wait();
    } else {
        atomic_store(&word, 1);
        wake(1);
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    if (wake(2) < 2) {
        atomic_store(&word, 1);
        wake(INT_MAX);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
