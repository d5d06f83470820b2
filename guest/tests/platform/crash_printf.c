// runs: 1000
// ending: signal 11 at 0x10
#include <stdio.h>
int main(void) { printf("%s", (char *)16); return 0; }
