// runs: 1000
// ending: unmodelled flock
#include <sys/file.h>
int main(void) { return flock(0, LOCK_EX); }
