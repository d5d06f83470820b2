// runs: 20
// flags: -O0
// memory-limit: 16000000
// ending: memory limit
#include <stdlib.h>
int main(void) { for (;;) malloc(100000); }
