// Times, by the names that glibc's tests use.
#pragma once
#include "xtime.h"

#define TIMESPEC_HZ 1000000000

static inline struct timespec make_timespec(time_t seconds, long nanoseconds) {
    return (struct timespec){seconds, nanoseconds};
}

static inline struct timespec timespec_add(struct timespec left, struct timespec right) {
    struct timespec sum = {left.tv_sec + right.tv_sec, left.tv_nsec + right.tv_nsec};
    if (sum.tv_nsec >= TIMESPEC_HZ) {
        sum.tv_sec++;
        sum.tv_nsec -= TIMESPEC_HZ;
    }
    return sum;
}

static inline struct timespec timespec_sub(struct timespec left, struct timespec right) {
    struct timespec rest = {left.tv_sec - right.tv_sec, left.tv_nsec - right.tv_nsec};
    if (rest.tv_nsec < 0) {
        rest.tv_sec--;
        rest.tv_nsec += TIMESPEC_HZ;
    }
    return rest;
}

static inline int conformance_before(struct timespec left, struct timespec right) {
    return left.tv_sec < right.tv_sec || (left.tv_sec == right.tv_sec && left.tv_nsec < right.tv_nsec);
}

#define TEST_TIMESPEC_BEFORE(left, right) assert(conformance_before(left, right))
#define TEST_TIMESPEC_EQUAL_OR_AFTER(left, right) assert(!conformance_before(left, right))
#define TEST_TIMESPEC_BEFORE_NOW(left, clock) assert(conformance_before(left, xclock_now(clock)))
#define TEST_TIMESPEC_NOW_OR_AFTER(clock, right) assert(!conformance_before(xclock_now(clock), right))
