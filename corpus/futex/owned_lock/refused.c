// What is not modelled of locks with priority inheritance, and is named: an owner that ends (ENDS), and a word that a thread
// waits for as for any other (MIXED).
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word;

static void *owner(void *arg) {
    syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
#ifdef MIXED
    syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, owner, NULL);
#ifdef MIXED
    const struct timespec length = {1, 0};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &length);
#else
    syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
    syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
#endif
    pthread_join(thread, NULL);
    return 0;
}
