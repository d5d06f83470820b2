// Two threads wait with a bit each; who changes the word wakes them by their bits. With OTHER, one of the bits is the wrong
// one, and its thread waits for ever if it waits at all.
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef OTHER
#define SECOND 4u
#else
#define SECOND 2u
#endif

static atomic_int word;
static unsigned bits[] = {1, 2};

static void *waiter(void *arg) {
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, *(unsigned *)arg); // BUG: deadlock(waiter)
    return NULL;
}

static long wake(unsigned set) {
    return syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, set);
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, &bits[i]);
    atomic_store(&word, 1);
    assert(wake(1u) <= 1);
    assert(wake(SECOND) <= 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL); // BUG: deadlock(join)
    return 0;
}
