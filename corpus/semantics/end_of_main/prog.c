// What is left to do when main has returned is done, one way of registering it at a time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int seen;

static void *thread(void *arg) {
    seen = 1;
    return arg;
}

static void check(void) {
#ifdef BAD
    assert(!seen); // BUG: assertion
#else
    assert(seen <= 1);
#endif
}

#if WAY == 1
__attribute__((destructor)) static void destructor(void) { check(); }
static void prepare(void) {}
#elif WAY == 2
static void prepare(void) { atexit(check); }
#elif WAY == 3
static void handler(int status, void *arg) {
    (void)status, (void)arg;
    check();
}
static void prepare(void) { on_exit(handler, NULL); }
#endif

int main(void) {
    prepare();
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_detach(t);
    return 0; // BUG: missing-pthread-exit
}
