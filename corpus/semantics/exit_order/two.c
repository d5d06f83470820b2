// Two threads exit at a time, and each calls what the other one has left on the list: one of the two functions may be
// called by one thread, and the other one by the other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int calls;
static _Thread_local int own;

static void first(void) {
    own++;
    atomic_fetch_add(&calls, 1);
#ifdef ALONE
    assert(own == 2); // BUG: assertion
#endif
}

static void second(void) {
    own++;
    atomic_fetch_add(&calls, 1);
}

static void *leave(void *unused) {
    (void)unused;
    exit(0);
}

int main(void) {
    pthread_t thread;
    atexit(first);
    atexit(second);
    pthread_create(&thread, NULL, leave, NULL);
    return 0;
}
