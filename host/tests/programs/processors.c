// Asks for all processors; ends with the number of those that it was given.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

int main(void) {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &all);
    assert(pthread_setaffinity_np(pthread_self(), sizeof all, &all) == 0);
    CPU_ZERO(&all);
    assert(pthread_getaffinity_np(pthread_self(), sizeof all, &all) == 0);
#ifdef EXPECTED
    assert(CPU_COUNT(&all) == EXPECTED);
#endif
    return CPU_COUNT(&all);
}
