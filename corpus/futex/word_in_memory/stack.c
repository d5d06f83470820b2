// The word is a local variable of the waiting thread, whose address the other one gets; the wake comes after the store
// by which the waiter may go on, so that the variable may have ended: a wake does not mind.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *setter(void *arg) {
    atomic_int *word = arg;
    atomic_store(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
    return NULL;
}

static pthread_t start_and_wait(void) {
    atomic_int word = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, setter, &word);
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
    return thread;
}

int main(void) {
    pthread_join(start_and_wait(), NULL);
    return 0;
}
