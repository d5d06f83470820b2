// Runs an older test of glibc: TEST_FUNCTION is an expression.
#include "support/check.h"
#include "support/test-driver.h"
#include "support/xthread.h"
#ifndef TEST_FUNCTION
#define TEST_FUNCTION do_test()
#endif

int main(int argc, char *argv[]) {
    (void)argc, (void)argv;
#ifdef PREPARE
    PREPARE(argc, argv);
#endif
    return TEST_FUNCTION;
}
