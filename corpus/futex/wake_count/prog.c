// Three threads may wait when up to COUNT of them are woken: the call says how many it woke. Then the word changes, and
// the rest are woken.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

static atomic_int word;

static void *waiter(void *arg) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    long first = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, COUNT);
    assert(first >= 0 && first <= COUNT && first <= N);
    atomic_store(&word, 1);
    long rest = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX);
    assert(first + rest <= N);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
