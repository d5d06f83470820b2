// The processors that a thread asks for are those that it is told afterwards, and those of the threads that it creates; a
// set without any is refused.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static int first;

static void *thread(void *argument) {
    cpu_set_t set;
    assert(sched_getaffinity(0, sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) == 1 && CPU_ISSET(first, &set));
    assert(sched_getcpu() == first);
    CPU_ZERO(&set);
    assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == EINVAL);
    assert(sched_getaffinity(0, 0, &set) == -1 && errno == EINVAL);
    return argument;
}

int main(void) {
    pthread_t other;
    cpu_set_t all, one;
    assert(sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) >= 1);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
#ifdef ATTRIBUTES
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setaffinity_np(&attributes, sizeof one, &one) == 0);
    assert(pthread_create(&other, &attributes, thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
#else
    assert(sched_setaffinity(0, sizeof one, &one) == 0);
    assert(pthread_create(&other, NULL, thread, NULL) == 0);
    assert(sched_setaffinity(99999, sizeof all, &all) == -1 && errno == ESRCH);
#endif
    assert(sched_setaffinity(0, sizeof all, &all) == 0);
    pthread_join(other, NULL);
    assert(pthread_getaffinity_np(pthread_self(), sizeof one, &one) == 0);
    assert(CPU_EQUAL(&one, &all));
    return 0;
}
