// A join with a clock: the monotonic one is fine, that of processor time is refused. A thread does not join itself.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *thread(void *arg) {
    assert(pthread_tryjoin_np(pthread_self(), NULL) == EBUSY);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0};
    pthread_create(&t, NULL, thread, NULL);
    assert(pthread_clockjoin_np(t, NULL, CLOCK_PROCESS_CPUTIME_ID, &soon) == EINVAL);
    int error = pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &soon);
    assert(error == 0 || error == ETIMEDOUT);
    if (error)
        pthread_join(t, NULL);
    return 0;
}
