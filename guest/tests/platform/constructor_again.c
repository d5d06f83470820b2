// exit 0
// Each run begins with the constructors, in memory as it was before them.
#include <stdlib.h>
#include <unistd.h>
static int constructed;
static char *block;
__attribute__((constructor(101))) static void first(void) { constructed++; block = calloc(1, 1); }
__attribute__((constructor(102))) static void second(void) { constructed *= 10; block[0]++; }
int main(void) { return constructed != 10 || block[0] != 1; }
