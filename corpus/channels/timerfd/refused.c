// A timer that wakes the system.
#include <sys/timerfd.h>
#include <time.h>

int main(void) { return timerfd_create(CLOCK_BOOTTIME_ALARM, 0); }
