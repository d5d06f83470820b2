/* Timers that are far from expiring. */
#include "headers.h"

static timer_t timer;
static int descriptor;
static struct itimerspec far = {{0, 0}, {900, 0}}, never;
static struct itimerval far_value = {{0, 0}, {800, 0}}, never_value;

static void begin(void) {
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    signal(SIGALRM, SIG_IGN);
}

static long end(void) {
    return 0;
}

/* To the next hundred seconds. */
static long left(const struct timespec *time) {
    return (time->tv_sec + 99) / 100;
}

static long left_of_timer(void) {
    struct itimerspec value;
    return timer_gettime(timer, &value) ? -1 : left(&value.it_value);
}

static long left_of_descriptor(void) {
    struct itimerspec value;
    return timerfd_gettime(descriptor, &value) ? -1 : left(&value.it_value);
}

static long left_of_process(void) {
    struct itimerval value;
    return getitimer(ITIMER_REAL, &value) ? -1 : (value.it_value.tv_sec + 99) / 100;
}

static long was_set(const struct itimerval *value) {
    struct itimerval old;
    return setitimer(ITIMER_REAL, value, &old) ? -1 : old.it_value.tv_sec > 0;
}

static long created(void) {
    timer_t another;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    return timer_create(CLOCK_REALTIME, &event, &another);
}

#define CALLS(CALL) \
    CALL(timer_settime(timer, 0, &far, 0)) \
    CALL(timer_settime(timer, 0, &never, 0)) \
    CALL(left_of_timer()) \
    CALL(timer_getoverrun(timer)) \
    CALL(created()) \
    CALL(timerfd_settime(descriptor, 0, &far, 0)) \
    CALL(timerfd_settime(descriptor, 0, &never, 0)) \
    CALL(left_of_descriptor()) \
    CALL(close(descriptor)) \
    CALL(alarm(700) > 0) \
    CALL(alarm(0) > 0) \
    CALL(was_set(&far_value)) \
    CALL(was_set(&never_value)) \
    CALL(left_of_process())

#include "driver.h"
