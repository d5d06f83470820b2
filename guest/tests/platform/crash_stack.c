// runs: 1000
// ending: signal 11 in the guard of stack 0
#include <stdio.h>
volatile int zero;
static int deeper(int n) { volatile char room[500]; room[0] = n; return zero + deeper(n + 1) + room[0]; }
int main(void) { return deeper(0); }
