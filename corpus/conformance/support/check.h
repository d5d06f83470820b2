// The checks of glibc's own test support, by the names that its tests use, for programs that Inspect runs: a check that
// fails is a failed assertion. Written from how the tests use them.
#pragma once
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What does not apply here ends the program with this status, as glibc's tests do.
#define EXIT_UNSUPPORTED 77

#define FAIL(...) (printf(__VA_ARGS__), assert(!"FAIL"))
#define FAIL_EXIT(status, ...) FAIL(__VA_ARGS__)
#define FAIL_EXIT1(...) FAIL(__VA_ARGS__)
#define FAIL_RET(...) \
    do { \
        FAIL(__VA_ARGS__); \
        return 1; \
    } while (0)
#define FAIL_UNSUPPORTED(...) (printf(__VA_ARGS__), exit(EXIT_UNSUPPORTED))

#define TEST_VERIFY(condition) assert(condition)
#define TEST_VERIFY_EXIT(condition) assert(condition)
#define TEST_COMPARE(left, right) assert((left) == (right))
#define TEST_COMPARE_BLOB(left, left_size, right, right_size) \
    assert((left_size) == (right_size) && memcmp(left, right, left_size) == 0)
#define TEST_COMPARE_STRING(left, right) assert(strcmp(left, right) == 0)
#define support_record_failure() assert(!"a failure was recorded")
#define support_record_failure_barrier() ((void)0)
