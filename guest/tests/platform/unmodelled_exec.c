// runs: 1000
// ending: unmodelled execve
#include <unistd.h>
int main(void) { char *none[] = {"true", 0}; return execv("/bin/true", none); }
