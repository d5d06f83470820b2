// runs: 2000
// A program that blocks everything, handles what it sends itself, and installs a handler for SIGSEGV.
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile int got;
static void handler(int signal) { got += signal; }
int main(void) {
    sigset_t all, old;
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    if (sigaction(SIGSEGV, &action, &before) || before.sa_handler != SIG_DFL) return 1;
    if (sigaction(SIGUSR1, &action, 0)) return 2;
    if (raise(SIGUSR1) || got != SIGUSR1) return 3;
    sigfillset(&all);
    if (sigprocmask(SIG_BLOCK, &all, &old) || sigismember(&old, SIGUSR1)) return 4;
    printf("still captured\n");
    if (sigprocmask(SIG_SETMASK, &old, &all) || !sigismember(&all, SIGSEGV)) return 5;
    return raise(SIGCHLD);
}
