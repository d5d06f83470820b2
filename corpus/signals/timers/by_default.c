// A timer that was made without saying how it tells of its expiry sends SIGALRM; nobody waits for a timer that is not set.
#include <assert.h>
#include <signal.h>
#include <time.h>

int main(void) {
    timer_t timer;
    sigset_t set;
    int number;
    struct itimerspec time = {.it_value = {0, 1}};
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, 0);
    assert(timer_create(CLOCK_REALTIME, 0, &timer) == 0);
#ifdef WRONG
    time.it_value.tv_nsec = 0;
#endif
    assert(timer_settime(timer, 0, &time, 0) == 0);
    sigwait(&set, &number); // BUG: deadlock
    return number != SIGALRM;
}
