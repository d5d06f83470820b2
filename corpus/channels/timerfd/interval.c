// A timer with an interval expires again once somebody has read from it. How often it has expired by then is not known.
#include <assert.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    uint64_t count;
    struct itimerspec time = {{1, 0}, {1, 0}}, never = {0};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    for (int i = 0; i < 2; i++) assert(read(timer, &count, 8) == 8 && count >= 1);
    return timerfd_settime(timer, 0, &never, NULL);
}
