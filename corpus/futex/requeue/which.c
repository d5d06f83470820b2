// Of two waiters one is moved, whichever of them, or both are (MOVES). Each counts after it was woken.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint one, other, order;

static void *waiter(void *number) {
    if (syscall(SYS_futex, &one, FUTEX_WAIT, 0, NULL) == 0)
        atomic_fetch_add(&order, (uintptr_t)number);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)(i + 1));
    syscall(SYS_futex, &one, FUTEX_REQUEUE, 0, (long)MOVES, &other, 0);
    syscall(SYS_futex, &other, FUTEX_WAKE, INT_MAX);
    atomic_store(&one, 1);
    syscall(SYS_futex, &one, FUTEX_WAKE, INT_MAX);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
