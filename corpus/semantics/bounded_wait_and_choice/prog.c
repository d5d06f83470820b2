// A wait for a futex word that does not have to wait, and a choice behind it. Right after the wait a switch to the
// other thread is no preemption; after the choice it is one.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inspect.h"

static atomic_int word;

static void *raise_word(void *unused) {
    int expected = 0;
    atomic_compare_exchange_strong(&word, &expected, 1);
    atomic_fetch_add(&word, 1);
    (void)atomic_load(&word);
    return unused;
}

static void *wait_and_choose(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
    inspect_choose(2);
    (void)atomic_load(&word);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, raise_word, 0);
    pthread_create(&second, 0, wait_and_choose, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
