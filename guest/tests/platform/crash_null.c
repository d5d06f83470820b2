// runs: 1000
// ending: signal 11 at 0x8
#include <stdlib.h>
#include <stdio.h>
int main(int argc, char **argv) { printf("x"); malloc(10); *(volatile int *)(argc * 8L) = 1; return 0; }
