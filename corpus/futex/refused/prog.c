// An operation of the system call futex that has no model.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned words[2];

int main(void) {
    syscall(SYS_futex, &words[0], OPERATION, 1, 0, &words[1], 0);
    return 0;
}
