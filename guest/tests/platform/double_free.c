// runs: 1000
// flags: -O0
// ending: DoubleFree
#include <stdlib.h>
int main(void) { char *p = malloc(5); free(p); free(p); return 0; }
