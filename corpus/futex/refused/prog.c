// An operation of the system call futex that has no model, or has none for so many wakes.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WAKES
#define WAKES 1
#endif

static unsigned words[2];

int main(void) {
    syscall(SYS_futex, &words[0], OPERATION, WAKES, 0, &words[1], 0);
    return 0;
}
