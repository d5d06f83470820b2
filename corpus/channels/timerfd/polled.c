// poll waits for a timer; it is never ready to be written to.
#include <assert.h>
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    uint64_t count;
    struct itimerspec time = {{0, 0}, {3, 0}};
    int timer = timerfd_create(CLOCK_BOOTTIME, 0);
    struct pollfd polled = {timer, POLLIN | POLLOUT, 0};
    assert(poll(&polled, 1, 0) == 0);
    assert(timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL) == 0);
    assert(poll(&polled, 1, -1) == 1 && polled.revents == POLLIN);
    assert(read(timer, &count, 8) == 8 && poll(&polled, 1, 0) == 0);
    return 0;
}
