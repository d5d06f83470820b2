// pthread_create refuses a priority that the asked policy does not have, if the attributes are to be looked at.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

static int ran;

static void *runs(void *arg) {
    ran++;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    struct sched_param lowest = {sched_get_priority_min(SCHED_FIFO)}, none = {0};
    pthread_attr_init(&attributes);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    assert(pthread_attr_setschedparam(&attributes, &lowest) == 0);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    // They are not looked at: the thread has what its creator has.
    assert(pthread_create(&thread, &attributes, runs, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    assert(pthread_create(&thread, &attributes, runs, NULL) == EINVAL);
    assert(pthread_attr_setschedparam(&attributes, &none) == 0);
    assert(pthread_create(&thread, &attributes, runs, NULL) == 0);
    pthread_join(thread, NULL);
    assert(ran == 2);
    return 0;
}
