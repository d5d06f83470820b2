// Calls that take the number of a process or thread know that of the program's own, and signals that are none.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void *asks(void *arg) {
    struct sched_param own = {-1};
    assert(sched_getparam(gettid(), &own) == 0 && sched_getscheduler(gettid()) == sched_getscheduler(0));
    return arg;
}

int main(void) {
    pthread_t thread;
    struct sched_param one = {-1}, other = {-2};
    pthread_create(&thread, NULL, asks, NULL);
    assert(sched_getparam(0, &one) == 0 && sched_getparam(getpid(), &other) == 0);
    assert(one.sched_priority == other.sched_priority);
    assert(sched_getscheduler(getpid()) == sched_getscheduler(0));
    assert(sched_getscheduler(-1) == -1 && errno == EINVAL);
    assert(getpriority(PRIO_PROCESS, getpid()) == getpriority(PRIO_PROCESS, 0));
    assert(kill(getpid(), 65) == -1 && errno == EINVAL);
    assert(kill(getpid(), -1) == -1 && errno == EINVAL);
    assert(raise(65) == -1 && errno == EINVAL);
    pthread_join(thread, NULL);
    return 0;
}
