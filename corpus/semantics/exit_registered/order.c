// Two threads register a function each: the one that was registered last is called first.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int calls;

static void first(void) {
    calls++;
}

static void second(void) {
#ifdef WRONG
    assert(calls == 1); // BUG: assertion
#else
    assert(calls <= 1);
#endif
}

static void *one(void *unused) {
    atexit(first);
    return unused;
}

static void *other(void *unused) {
    atexit(second);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
