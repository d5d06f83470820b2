// runs: 10000
// Counts in data, bss, heap and on the stack: a run that saw another run's memory would return something else.
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
static int data = 5, bss;
int main(int argc, char **argv) {
    int *p = malloc(100), *q = calloc(10, 4);
    if (data++ != 5 || bss++ != 0 || argc != 1 || argv[0][0] == '!' || errno) return 1;
    argv[0][0] = '!';
    argv[0] = 0;
    errno = 7;
    for (int i = 0; i < 10; i++) if (q[i]) return 2;
    if (p[0] != (int)0xbebebebe) return 3;
    p[0] = q[3] = 9;
    free(p);
    char text[100];
    return snprintf(text, 100, "%d %s %f", 5, "x", 1.5) == 12 ? 0 : 4;
}
