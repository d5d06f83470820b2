// What the calls of timerfd return, with the errors of Linux.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

int main(void) {
    int ends[2], timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct itimerspec long_time = {{0, 0}, {1000, 5}}, wrong = {{0, 0}, {0, 1000000000}}, negative = {{0, 0}, {-1, 0}};
    struct itimerspec never = {0}, old;
    uint64_t count;
    assert(timer >= 0 && pipe(ends) == 0);
    FAILS(timerfd_create(77, 0), EINVAL);
    FAILS(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0), EINVAL);
    FAILS(timerfd_create(CLOCK_REALTIME, 1), EINVAL);
    FAILS(timerfd_settime(timer, 0, &wrong, NULL), EINVAL);
    FAILS(timerfd_settime(timer, 0, &negative, NULL), EINVAL);
    FAILS(timerfd_settime(timer, 4, &long_time, NULL), EINVAL);
    FAILS(timerfd_settime(500, 0, &long_time, NULL), EBADF);
    FAILS(timerfd_settime(ends[0], 0, &long_time, NULL), EINVAL);
    FAILS(timerfd_gettime(500, &old), EBADF);
    FAILS(timerfd_gettime(ends[0], &old), EINVAL);
    FAILS(read(timer, &count, 4), EINVAL);
    FAILS(read(timer, &count, 8), EAGAIN);
    FAILS(write(timer, &count, 8), EINVAL);
    assert(timerfd_gettime(timer, &old) == 0);
    assert(old.it_value.tv_sec == 0 && old.it_value.tv_nsec == 0 && old.it_interval.tv_sec == 0);
    assert(timerfd_settime(timer, 0, &never, &old) == 0 && old.it_value.tv_sec == 0);
    FAILS(read(timer, &count, 8), EAGAIN);
    return close(timer);
}
