// A join with a time that is none waits until the thread has ended, as in the C library.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static int done;

static void *thread(void *arg) {
    done = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    const struct timespec never = {0, 2000000000};
    pthread_create(&t, NULL, thread, NULL);
    int error = pthread_timedjoin_np(t, NULL, &never);
#ifdef REFUSED
    assert(error != 0); // BUG: assertion
#else
    assert(error == 0 && done);
#endif
    return 0;
}
