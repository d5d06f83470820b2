// Waits by a raw futex system call for a word that is changed without a wake-up: it may wait for ever.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *forgetful(void *arg) {
    atomic_store(&word, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, forgetful, 0);
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0); // BUG: deadlock
    pthread_join(t, 0);
    return 0;
}
