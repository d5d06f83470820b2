// The assertion fails between the two stores. The wake chooses, among no waiters, by bits.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int x, word;
static void *writes(void *unused) {
    x = 1;
    x = 2;
#ifndef WITHOUT_WAKE
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 1);
#endif
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    assert(x != 1);
    pthread_join(thread, 0);
}
