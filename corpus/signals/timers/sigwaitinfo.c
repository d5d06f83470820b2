// The signal of a timer says that a timer has sent it, and with which value. The timer was told a time or a moment.
#include <assert.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

int main(void) {
    timer_t timer;
    sigset_t set;
    siginfo_t information;
    struct sigevent event = {.sigev_notify = HOW, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7};
    struct itimerspec time = {.it_value = {2, 0}};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
#ifdef THREAD
    event._sigev_un._tid = (int)syscall(SYS_gettid);
#endif
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
#ifdef ABSOLUTE
    clock_gettime(CLOCK_MONOTONIC, &time.it_value);
    time.it_value.tv_sec += 2;
    assert(timer_settime(timer, TIMER_ABSTIME, &time, 0) == 0);
#else
    assert(timer_settime(timer, 0, &time, 0) == 0);
#endif
    assert(sigwaitinfo(&set, &information) == SIGUSR1);
    assert(information.si_code == SI_TIMER && information.si_value.sival_int == 7);
    assert(timer_getoverrun(timer) == 0);
    assert(timer_delete(timer) == 0);
    return 0;
}
