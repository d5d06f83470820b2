// A ticket lock whose waiters sleep on the number that is called. All of them have to be woken, as only one of them is
// meant; waking one (ONE) may wake the wrong one.
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

static atomic_uint next_ticket, now_serving;
static int counter;

static void lock(void) {
    unsigned mine = atomic_fetch_add(&next_ticket, 1), called;
    while ((called = atomic_load(&now_serving)) != mine)
        syscall(SYS_futex, &now_serving, FUTEX_WAIT_PRIVATE, called, NULL); // BUG: deadlock
}

static void unlock(void) {
    atomic_fetch_add(&now_serving, 1);
#ifdef ONE
    syscall(SYS_futex, &now_serving, FUTEX_WAKE_PRIVATE, 1);
#else
    syscall(SYS_futex, &now_serving, FUTEX_WAKE_PRIVATE, INT_MAX);
#endif
}

static void *thread(void *arg) {
    lock();
    counter++;
    unlock();
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
