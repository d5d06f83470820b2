// runs: 1000
// ending: signal 4
int main(void) { __builtin_trap(); }
