// A stream of a pipe is not modelled.
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    pipe(ends);
    FILE *stream = fdopen(ends[0], "r");
    return fgetc(stream);
}
