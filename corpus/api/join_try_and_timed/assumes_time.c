// Relies on the thread to end before the time is over.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0};
    pthread_create(&t, NULL, thread, NULL);
    assert(pthread_timedjoin_np(t, NULL, &soon) == 0); // BUG: assertion
    return 0;
}
