// Of three waiters two are woken and one is moved, whichever of them. Each counts after it was woken.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint one, other, woken;

static void *waiter(void *arg) {
    if (syscall(SYS_futex, &one, FUTEX_WAIT_PRIVATE, 0, NULL) == 0)
        atomic_fetch_add(&woken, (uintptr_t)arg);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)((uintptr_t)1 << i));
#ifdef COMPARES
    long found = syscall(SYS_futex, &one, FUTEX_CMP_REQUEUE_PRIVATE, 2, 1L, &other, 0);
#else
    long found = syscall(SYS_futex, &one, FUTEX_REQUEUE_PRIVATE, 2, 1L, &other, 0);
#endif
    long left = syscall(SYS_futex, &other, FUTEX_WAKE_PRIVATE, INT_MAX);
    assert(left == (found == 3));
    atomic_store(&one, 1);
    syscall(SYS_futex, &one, FUTEX_WAKE_PRIVATE, INT_MAX);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
