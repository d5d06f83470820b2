// runs: 1000
// flags: -O0
// ending: InvalidFree
#include <stdlib.h>
int main(void) { char *p = malloc(50); free(p + 16); return 0; }
