// A program waits for the alarm that it has set: it may come before the wait.
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t come;

static void handler(int number) {
    (void)number;
    come = 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaction(SIGALRM, &action, 0);
#ifdef WRONG
    alarm(1);
    pause(); // BUG: deadlock
#else
    sigprocmask(SIG_BLOCK, &set, &before);
    alarm(1);
    while (!come) {
        sigsuspend(&before);
    }
#endif
    return 0;
}
