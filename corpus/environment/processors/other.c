// One thread sets the processors of another one, which depends on them before that, afterwards, or in both ways. One
// processor that every process may have is found at the start.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t whole;
static cpu_set_t all, one;

static void *set(void *argument) {
#ifdef RAW
    assert(syscall(SYS_sched_setaffinity, whole, sizeof one, &one) == 0);
#else
    assert(sched_setaffinity(whole, sizeof one, &one) == 0);
#endif
    return argument;
}

#ifdef CREATES
static void *created(void *argument) {
    return argument;
}
#endif

int main(void) {
    pthread_t other;
    cpu_set_t seen;
    int first = 0;
    whole = gettid();
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    pthread_create(&other, NULL, set, NULL);
#ifdef JOINS
    pthread_join(other, NULL);
    sched_getaffinity(0, sizeof seen, &seen);
    assert(CPU_EQUAL(&seen, &one));
#else
#ifdef CREATES
    pthread_t child;
    pthread_create(&child, NULL, created, NULL);
    pthread_join(child, NULL);
#elif defined GETS_ONE
    assert(sched_getcpu() >= 0);
#elif defined RAW
    syscall(SYS_getcpu, &first, NULL, NULL);
#else
    sched_getaffinity(0, sizeof seen, &seen);
    assert(CPU_EQUAL(&seen, &one) || CPU_EQUAL(&seen, &all));
#endif
    pthread_join(other, NULL);
#endif
    return 0;
}
