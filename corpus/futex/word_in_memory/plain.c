// The word is written without an atomic access while another thread may wait for it: a data race, as the kernel's
// reading of the word is atomic, but the write is not.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *waiter(void *arg) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL); // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    word = 1; // BUG: data-race
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    pthread_join(thread, NULL);
    return 0;
}
