// runs: 3
// ending: stuck
volatile int never;
int main(void) { while (!never) ; return 0; }
