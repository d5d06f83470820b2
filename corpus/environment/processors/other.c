// One thread sets the processors of another one, which may look at them before or after that. One processor that every
// process may have is found at the start.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_t whole;
static cpu_set_t all, one;

static void *set(void *argument) {
    assert(pthread_setaffinity_np(whole, sizeof one, &one) == 0);
    return argument;
}

int main(void) {
    pthread_t other;
    cpu_set_t seen;
    int first = 0;
    whole = pthread_self();
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    pthread_create(&other, NULL, set, NULL);
#ifdef JOINS
    pthread_join(other, NULL);
#endif
    sched_getaffinity(0, sizeof seen, &seen);
    assert(CPU_EQUAL(&seen, &one)); // BUG: assertion
#ifndef JOINS
    pthread_join(other, NULL);
#endif
    return 0;
}
