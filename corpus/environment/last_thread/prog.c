// Main ends its thread before the others have ended: what it has registered for the end of the process is called when the
// last of them ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

static atomic_int done;

static void at_end(void) {
    assert(done == EXPECTED); // BUG: assertion
}

#ifdef DESTRUCTOR
__attribute__((destructor)) static void destructor(void) {
    at_end();
}
#endif

static void *thread(void *arg) {
    atomic_fetch_add(&done, 1);
    return arg;
}

int main(void) {
    pthread_t t;
#ifndef DESTRUCTOR
    atexit(at_end);
#endif
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, thread, NULL);
        pthread_detach(t);
    }
#ifdef CANCEL
    pthread_cancel(pthread_self());
    pthread_testcancel();
#endif
    EXIT(0);
}
