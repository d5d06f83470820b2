/* Random numbers. */
#include "headers.h"

static unsigned own = 3;

static void begin(void) {
    srand(7);
    srand48(7);
}

static long end(void) {
    return rand() + lrand48() % 1000;
}

#define CALLS(CALL) \
    CALL(rand()) \
    CALL(srand(3), 0) \
    CALL(random()) \
    CALL(srandom(5), 0) \
    CALL(drand48() * 1000) \
    CALL(lrand48()) \
    CALL(mrand48()) \
    CALL(srand48(9), 0) \
    CALL(seed48((unsigned short[]){1, 2, 3})[0]) \
    CALL(lcong48((unsigned short[]){1, 2, 3, 4, 5, 6, 7}), 0) \
    CALL(erand48((unsigned short[]){1, 2, 3}) * 1000) \
    CALL(nrand48((unsigned short[]){1, 2, 3})) \
    CALL(jrand48((unsigned short[]){1, 2, 3})) \
    CALL(rand_r(&own))

#include "driver.h"
