// runs: 2000
// ending: exit 3
// output: before\nhandler\n
#include <stdio.h>
#include <stdlib.h>
static void handler(void) { puts("handler"); }
int main(void) { atexit(handler); puts("before"); exit(3); }
