// A timer with an interval whose signal is ignored.
#include <signal.h>
#include <time.h>

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec time = {.it_value = {1, 0}, .it_interval = {1, 0}};
    signal(SIGUSR1, SIG_IGN);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &time, 0);
    timer_delete(timer);
    return 0;
}
