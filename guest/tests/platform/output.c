// runs: 3000
// output: one\ntwo\nthree\n
#include <stdio.h>
#include <unistd.h>
int main(void) {
    write(1, "one\n", 4);
    int copy = dup(1);
    printf("two\n");
    fflush(stdout);
    close(1);
    if (write(1, "lost", 4) != -1) return 1;
    dup2(copy, 1);
    write(1, "three\n", 6);
    return isatty(1);
}
