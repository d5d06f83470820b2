// A timer is deleted, or set again, while its signal may be pending: whether the signal stays is open.
#include <assert.h>
#include <signal.h>
#include <time.h>

int main(void) {
    timer_t timer;
    sigset_t set, pending;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec time = {.it_value = {2, 0}}, off = {0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    assert(timer_settime(timer, 0, &time, 0) == 0);
    assert(END == 0);
    sigpending(&pending);
#ifdef WRONG
    assert(!sigismember(&pending, SIGUSR1)); // BUG: assertion
#endif
    return 0;
}
