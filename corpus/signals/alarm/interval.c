// A timer that goes on after each of its signals was taken.
#include <assert.h>
#include <signal.h>
#include <sys/time.h>

int main(void) {
    sigset_t set;
    int number;
    struct itimerval twice = {.it_value = {1, 0}, .it_interval = {1, 0}}, off = {0}, before;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, 0);
    assert(setitimer(ITIMER_REAL, &twice, 0) == 0);
    sigwait(&set, &number);
#ifndef ONCE
    sigwait(&set, &number);
#endif
    assert(setitimer(ITIMER_REAL, &off, &before) == 0);
    assert(before.it_interval.tv_sec == 1);
    assert(before.it_value.tv_sec == 1 || (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0));
    return 0;
}
