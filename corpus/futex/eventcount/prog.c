// An event count on a futex: a consumer takes the number of the present epoch, looks at its condition, and waits only as
// long as the epoch is the same. If it takes the number after the look (LATE), an event in between is lost.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int epoch, ready;

static void *consumer(void *arg) {
    for (;;) {
#ifdef LATE
        if (atomic_load(&ready))
            return arg;
        int key = atomic_load(&epoch);
#else
        int key = atomic_load(&epoch);
        if (atomic_load(&ready))
            return arg;
#endif
        syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, key, NULL); // BUG: deadlock
    }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, consumer, NULL);
    atomic_store(&ready, 1);
    atomic_fetch_add(&epoch, 1);
    syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, INT_MAX);
    pthread_join(thread, NULL);
    return 0;
}
