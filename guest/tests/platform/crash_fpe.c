// runs: 1000
// flags: -O0
// ending: signal 8
volatile int zero;
int main(void) { return 1 / zero; }
