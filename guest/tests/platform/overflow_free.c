// runs: 1000
// flags: -O0
// ending: Overflow
#include <stdlib.h>
int main(void) { volatile char *p = malloc(50); p[50] = 1; free((void *)p); return 0; }
