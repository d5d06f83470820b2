// Waits by a raw futex system call of its own.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *waker(void *arg) {
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waker, 0);
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
    pthread_join(t, 0);
    return 0;
}
