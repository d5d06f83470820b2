// runs: 500
// ending: unmodelled a handler for a crash
// flags: -O0
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, 1); }
int main(void) { signal(SIGSEGV, handler); if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1; return 0; }
