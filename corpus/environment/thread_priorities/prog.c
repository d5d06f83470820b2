// Priorities (nice values) belong to threads in Linux; a new thread has that of its creator.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *thread(void *arg) {
#if defined(OTHERS)
    assert(getpriority(PRIO_PROCESS, 0) != 7); // BUG: assertion(given)
#elif defined(ORDERED)
    assert(getpriority(PRIO_PROCESS, 0) == 7);
#else
    assert(getpriority(PRIO_PROCESS, 0) == 3);
    assert(nice(2) == 5);
    assert(getpriority(PRIO_PROCESS, 0) == 5);
    assert(getpriority(PRIO_PROCESS, gettid()) == 5);
#endif
    return arg;
}

int main(void) {
    pthread_t other;
    assert(setpriority(PRIO_PROCESS, -1, 3) == -1 && errno == ESRCH);
    assert(setpriority(9, 0, 3) == -1 && errno == EINVAL);
    assert(setpriority(PRIO_PROCESS, 0, 3) == 0);
#ifdef ORDERED
    assert(setpriority(PRIO_PROCESS, 0, 7) == 0);
#endif
    pthread_create(&other, NULL, thread, NULL);
#ifdef OTHERS
    // Main has the number of the process, and the other thread the next one.
    assert(setpriority(PRIO_PROCESS, getpid() + 1, 7) == 0);
#endif
    pthread_join(other, NULL);
#if defined(GROUP)
    getpriority(PRIO_PGRP, 0);
#elif defined(SETS_GROUP)
    setpriority(PRIO_USER, 0, 19);
#elif !defined(ORDERED)
    assert(getpriority(PRIO_PROCESS, 0) == 3);
#endif
    return 0;
}
