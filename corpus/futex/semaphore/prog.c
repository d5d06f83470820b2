// A semaphore on a futex: the word is the count. Posting wakes one in any case, or (LAZY) only if the count was zero.
// With two posts in a row and two waiters, the second post of the lazy one finds a count of one and wakes nobody.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int count;

static void post(void) {
    int before = atomic_fetch_add(&count, 1);
#ifdef LAZY
    if (before != 0)
        return;
#endif
    (void)before;
    syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1);
}

static void wait_for_unit(void) {
    for (;;) {
        int seen = atomic_load(&count);
        if (seen > 0 && atomic_compare_exchange_strong(&count, &seen, seen - 1))
            return;
        if (seen == 0)
            syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: deadlock
    }
}

static void *taker(void *arg) {
    wait_for_unit();
    return arg;
}

int main(void) {
    pthread_t threads[TAKERS];
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&threads[i], NULL, taker, NULL);
    for (int i = 0; i < TAKERS; i++)
        post();
    for (int i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
