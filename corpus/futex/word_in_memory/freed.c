// The word lies in a block that the thread that is done with it frees. A wake after that is harmless, as the kernel takes
// the address only; a wait (WAITS) reads memory that is gone.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    atomic_int *word = malloc(sizeof *word);
    atomic_init(word, 0);
    free(word);
#ifdef WAITS
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 1, NULL); // BUG: heap-use-after-free
#else
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
#endif
    return 0;
}
