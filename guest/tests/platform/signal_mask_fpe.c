// runs: 1000
// ending: signal 8
// flags: -O0
// Blocked signals of this kind would end the whole process.
#include <signal.h>
int main(int argc, char **argv) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); return 1 / (argc - 1); }
