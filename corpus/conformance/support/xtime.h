// Clocks, by the names that glibc's tests use.
#pragma once
#include "check.h"
#include <time.h>

static inline void xclock_gettime(clockid_t clock, struct timespec *time) {
    int error = clock_gettime(clock, time);
    assert(error == 0);
}

static inline struct timespec xclock_now(clockid_t clock) {
    struct timespec time;
    xclock_gettime(clock, &time);
    return time;
}
