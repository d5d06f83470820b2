// A one-shot event whose setter wakes first and stores then: a waiter that comes in between waits for ever.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int event;

static void *waiter(void *arg) {
    while (atomic_load(&event) == 0)
        syscall(SYS_futex, &event, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    syscall(SYS_futex, &event, FUTEX_WAKE_PRIVATE, INT_MAX);
    atomic_store(&event, 1);
    pthread_join(thread, NULL);
    return 0;
}
