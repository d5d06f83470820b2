// A timer that starts a thread.
#include <signal.h>
#include <time.h>

static void function(union sigval value) {
    (void)value;
}

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};
    return timer_create(CLOCK_REALTIME, &event, &timer);
}
