// How many expiries came before a signal was taken is not explored.
#include <signal.h>
#include <time.h>

int main(void) {
    timer_t timer;
    sigset_t set;
    int number;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec time = {.it_value = {1, 0}, .it_interval = {1, 0}};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, 0);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &time, 0);
#ifdef INFORMATION
    siginfo_t information;
    sigwaitinfo(&set, &information);
#else
    sigwait(&set, &number);
    timer_getoverrun(timer);
#endif
    timer_delete(timer);
    return 0;
}
