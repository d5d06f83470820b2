// What a program reaches by other ways than its descriptors is not modelled: the data are not the kernel's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    pipe(ends);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[WRITES ? 1 : 0]);
#ifdef STANDARD
    dup2(ends[0], 0);
    write(ends[1], "x", 1);
    getchar();
#else
    open(path, WRITES ? O_WRONLY : O_RDONLY | O_NONBLOCK);
#endif
}
