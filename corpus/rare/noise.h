// What threads do beside the bug: each adds to a counter NOISE times when it begins and when it ends. All orders of
// these additions are different executions, so a search that goes backwards from the end of an execution does not come
// to the bug.
#include <stdatomic.h>

#ifndef NOISE
#define NOISE 0
#endif

static atomic_int noise;

static void make_noise(void) {
    for (int i = 0; i < NOISE; i++)
        atomic_fetch_add(&noise, 1);
}
