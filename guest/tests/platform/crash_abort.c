// runs: 1000
// ending: signal 6
#include <stdlib.h>
int main(void) { abort(); }
