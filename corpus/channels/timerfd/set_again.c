// A timer that is set again forgets that it has expired. One that is closed does not expire.
#include <assert.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    uint64_t count = 0;
    struct itimerspec time = {{0, 0}, {1, 0}}, never = {0}, old = {0};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
#ifdef AGAIN
    assert(timerfd_settime(timer, 0, &never, &old) == 0);
    assert(read(timer, &count, 8) == -1);
#endif
    return close(timer);
}
