// Pipes of packets are not modelled, nor is what moves data from one descriptor to another.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int ends[2];
#ifdef SPLICED
    pipe(ends);
    return splice(0, NULL, ends[1], NULL, 1, 0) != 0;
#else
    return pipe2(ends, O_DIRECT);
#endif
}
