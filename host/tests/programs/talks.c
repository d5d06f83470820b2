// Writes to both output streams, then aborts.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("before the end\n");
    fflush(stdout);
    fprintf(stderr, "on the error stream\n");
    abort();
}
