// A wake of one by two bits wakes either of the two threads that wait with one of these, and never the third.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static const int numbers[] = {0, 1, 2};

static void *waiter(void *arg) {
    int number = *(const int *)arg;
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 1u << number);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)&numbers[i]);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 6u) <= 1);
    atomic_store(&word, 1);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX) <= 3);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
