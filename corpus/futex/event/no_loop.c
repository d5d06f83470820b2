// A one-shot event whose waiter does not look again after the wait: wrong where a wait may end without a wake.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int event;

static void *waiter(void *arg) {
    if (atomic_load(&event) == 0)
        syscall(SYS_futex, &event, FUTEX_WAIT_PRIVATE, 0, NULL);
    assert(atomic_load(&event) == 1); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&event, 1);
    syscall(SYS_futex, &event, FUTEX_WAKE_PRIVATE, INT_MAX);
    pthread_join(thread, NULL);
    return 0;
}
