// A barrier on two words: how many are still to come, and the round. The last one begins the next round and wakes all.
// A waiter has to take the number of the round before it counts itself; otherwise (LATE) it may wait for a round that
// nobody will end.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

static atomic_int missing = N, number;
static int come[N];

static void arrive_and_wait(void) {
#ifdef LATE
    int last = atomic_fetch_sub(&missing, 1) == 1;
    int now = atomic_load(&number);
#else
    int now = atomic_load(&number);
    int last = atomic_fetch_sub(&missing, 1) == 1;
#endif
    if (last) {
        atomic_store(&missing, N);
        atomic_fetch_add(&number, 1);
        syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, INT_MAX);
        return;
    }
    while (atomic_load(&number) == now)
        syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, now, NULL); // BUG: deadlock
}

static void *thread(void *arg) {
    come[(long)arg] = 1;
    arrive_and_wait();
    for (int i = 0; i < N; i++)
        assert(come[i]);
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
