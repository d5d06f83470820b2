// A condition variable that moves its waiter to the mutex, which the waker holds, in place of waking it, as the C library's
// once did. The mutex has to be marked as one for which somebody waits; if that is forgotten (FORGETS), its unlock wakes
// nobody.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int mutex, signals; // of the mutex: 0 free, 1 taken, 2 taken, and somebody may wait

static void unlock(void) {
    if (atomic_fetch_sub(&mutex, 1) != 1) {
        atomic_store(&mutex, 0);
        syscall(SYS_futex, &mutex, FUTEX_WAKE_PRIVATE, 1);
    }
}

static void *waiter(void *arg) {
    syscall(SYS_futex, &signals, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: deadlock
    while (atomic_exchange(&mutex, 2) != 0)
        syscall(SYS_futex, &mutex, FUTEX_WAIT_PRIVATE, 2, NULL);
    unlock();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_exchange(&mutex, 1); // nobody else takes it before it was signalled
    atomic_store(&signals, 1);
    long moved = syscall(SYS_futex, &signals, FUTEX_CMP_REQUEUE_PRIVATE, 0, 1L, &mutex, 1);
#ifndef FORGETS
    if (moved > 0)
        atomic_store(&mutex, 2);
#endif
    unlock();
    pthread_join(thread, NULL);
    return (int)(moved >> 8);
}
