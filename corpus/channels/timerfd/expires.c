// A thread waits for a timer, which expires at any moment after it was set: a read waits for that, and finds one expiry.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer, value;

static void *waiter(void *arg) {
    uint64_t count;
    assert(read(timer, &count, 8) == 8 && count == 1); // BUG: deadlock
    assert(value == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct itimerspec time = {{0, 0}, {5, 0}};
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    value = 1;
#ifdef NEVER_SET
    time.it_value.tv_sec = 0;
#endif
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    pthread_join(thread, NULL);
    return 0;
}
