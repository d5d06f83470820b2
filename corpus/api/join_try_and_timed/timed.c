// A timed join joins the thread or expires with ETIMEDOUT. Without a time it is a join.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0};
    pthread_create(&t, NULL, thread, NULL);
    int error = pthread_timedjoin_np(t, NULL, &soon);
    assert(error == 0 || error == ETIMEDOUT);
    if (error)
        assert(pthread_timedjoin_np(t, NULL, NULL) == 0);
    return 0;
}
