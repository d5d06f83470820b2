// A timer that tells nobody: who asks for what is left finds something until it has expired.
#include <assert.h>
#include <signal.h>
#include <time.h>

static int is_zero(struct itimerspec time) {
    return time.it_value.tv_sec == 0 && time.it_value.tv_nsec == 0;
}

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    struct itimerspec time = {.it_value = {2, 0}}, off = {0}, left, before;
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    assert(timer_gettime(timer, &left) == 0 && is_zero(left));
    assert(timer_settime(timer, 0, &time, &before) == 0 && is_zero(before));
    assert(timer_gettime(timer, &left) == 0);
#ifdef WRONG
    assert(!is_zero(left)); // BUG: assertion
#endif
    assert(left.it_value.tv_sec < 2 || (left.it_value.tv_sec == 2 && left.it_value.tv_nsec == 0));
    assert(timer_settime(timer, 0, &off, &before) == 0);
    assert(!is_zero(left) || is_zero(before));
    assert(timer_gettime(timer, &left) == 0 && is_zero(left));
    return 0;
}
