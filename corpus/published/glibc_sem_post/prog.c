// glibc, bug 12674 (until 2.21): sem_post increments the count and then reads, in the same object, whether somebody waits. The
// thread that got the unit may have destroyed and freed the semaphore by then. Fixed by keeping both in one word, which a
// post changes once and does not read again. A semaphore in the shape of glibc's, on the system call. WRONG == 1: as it was.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct semaphore {
    atomic_uint value;
    atomic_uint waiters;
};

static void post(struct semaphore *semaphore) {
#if WRONG
    atomic_fetch_add(&semaphore->value, 1);
    if (atomic_load(&semaphore->waiters) > 0) // BUG: heap-use-after-free data-race
        syscall(SYS_futex, &semaphore->value, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
#else
    atomic_fetch_add(&semaphore->value, 1);
    syscall(SYS_futex, &semaphore->value, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
#endif
}

static void wait(struct semaphore *semaphore) {
    atomic_fetch_add(&semaphore->waiters, 1);
    for (;;) {
        unsigned value = atomic_load(&semaphore->value);
        if (value > 0 && atomic_compare_exchange_strong(&semaphore->value, &value, value - 1)) break;
        if (value == 0) syscall(SYS_futex, &semaphore->value, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    }
    atomic_fetch_sub(&semaphore->waiters, 1);
}

static void *posts(void *arg) {
    post(arg);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct semaphore *semaphore = malloc(sizeof *semaphore);
    atomic_init(&semaphore->value, 0);
    atomic_init(&semaphore->waiters, 0);
    pthread_create(&thread, 0, posts, semaphore);
    wait(semaphore);
    free(semaphore); // BUG: data-race
    pthread_join(thread, 0);
    return 0;
}
