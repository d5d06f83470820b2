// A system call that no table has.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    syscall(7777, 0);
    return 0;
}
