// Data that are handed over with a futex. The wake orders nothing: what orders the data is the atomic access to the word,
// if it releases and acquires (ORDER).
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int data;

static void *waiter(void *arg) {
#ifdef RELAXED
    while (atomic_load_explicit(&word, memory_order_relaxed) == 0)
#else
    while (atomic_load_explicit(&word, memory_order_acquire) == 0)
#endif
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
    data++; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    data = 1; // BUG: data-race
#ifdef RELAXED
    atomic_store_explicit(&word, 1, memory_order_relaxed);
#else
    atomic_store_explicit(&word, 1, memory_order_release);
#endif
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    pthread_join(thread, NULL);
    return 0;
}
