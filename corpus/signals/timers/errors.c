// Calls that fail.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

int main(void) {
    timer_t timer = 0;
    struct sigevent event = {.sigev_notify = 77, .sigev_signo = SIGUSR1};
    struct itimerspec time = {.it_value = {2, 1000000000}}, left;
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == -1 && errno == EINVAL);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = 77;
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == -1 && errno == EINVAL);
    event.sigev_signo = SIGUSR1;
    assert(timer_create(77, &event, &timer) == -1 && errno == EINVAL);
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    assert(timer_settime(timer, 0, &time, 0) == -1 && errno == EINVAL);
    assert(timer_delete(timer) == 0);
    time.it_value.tv_nsec = 0;
    assert(timer_settime(timer, 0, &time, 0) == -1 && errno == EINVAL);
    assert(timer_gettime(timer, &left) == -1 && errno == EINVAL);
    assert(timer_getoverrun(timer) == -1 && errno == EINVAL);
    assert(timer_delete(timer) == -1 && errno == EINVAL);
    return 0;
}
