// Runs a test of glibc that is made of a function: its result is the program's.
#include "test-driver.h"
#include "xthread.h"
#ifndef TEST_FUNCTION
#define TEST_FUNCTION do_test
#endif

int main(void) {
#ifdef PREPARE
    PREPARE(1, (char *[]){"test", NULL});
#endif
    return TEST_FUNCTION();
}
