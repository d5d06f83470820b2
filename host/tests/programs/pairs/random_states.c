/* Random numbers, in a program that gives the C library memory for their state. */
#include "headers.h"

static char one[64], another[128];
static char *initial;

static void begin(void) {
    initstate(3, one, sizeof one);
    initial = initstate(5, another, sizeof another);
}

static long end(void) {
    return random();
}

#define CALLS(CALL) \
    CALL(rand()) \
    CALL(srand(3), 0) \
    CALL(random()) \
    CALL(srandom(5), 0) \
    CALL(setstate(one) == initial) \
    CALL(initstate(9, one, sizeof one) == initial)

#include "driver.h"
