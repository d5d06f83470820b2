// A one-shot event with two waiters, of which the setter wakes only one.
#define _GNU_SOURCE
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
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    atomic_store(&event, 1);
    syscall(SYS_futex, &event, FUTEX_WAKE_PRIVATE, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
