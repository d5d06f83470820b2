// Main asks by its number for the processors of a thread that may have ended: then the number is none of a thread.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int number;

static void *thread(void *arg) {
    number = gettid();
    return arg;
}

int main(void) {
    pthread_t t;
    cpu_set_t seen;
    pthread_create(&t, NULL, thread, NULL);
#ifdef JOINS
    pthread_join(t, NULL);
#endif
    int known = number;
    if (known) {
        int error = sched_getaffinity(known, sizeof seen, &seen);
#ifdef LIVES
        assert(error == 0); // BUG: assertion
#elif defined JOINS
        assert(error == -1 && errno == ESRCH);
#else
        assert(error == 0 || errno == ESRCH);
#endif
    }
#ifndef JOINS
    pthread_join(t, NULL);
#endif
    return 0;
}
