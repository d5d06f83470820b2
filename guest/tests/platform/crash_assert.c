// runs: 1000
// ending: signal 6
#include <assert.h>
int main(int argc, char **argv) { assert(argc == 7); }
