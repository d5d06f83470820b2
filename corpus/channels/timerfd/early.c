// A read that does not wait comes before the timer has expired, or after that, however long it takes.
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    uint64_t count = 0;
    struct itimerspec time = {{0, 0}, {0, 1}}, left;
    int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    int result = read(timer, &count, 8);
#ifdef SURE
    assert(result == 8); // BUG: assertion
#else
    assert((result == 8 && count == 1) || (result == -1 && errno == EAGAIN));
#endif
    assert(timerfd_gettime(timer, &left) == 0);
    if (result == 8) assert(left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    return 0;
}
