// A one-shot event on a futex, set without a wake: who waits already waits for ever.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 1
#endif

static atomic_int event;
static int data;

static void *waiter(void *arg) {
    while (atomic_load(&event) == 0)
        syscall(SYS_futex, &event, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: deadlock
    assert(data == 1);
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    data = 1;
    atomic_store(&event, 1);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
