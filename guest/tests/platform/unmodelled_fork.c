// runs: 1000
// ending: unmodelled clone
#include <unistd.h>
int main(void) { return fork() == 0; }
