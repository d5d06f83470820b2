// What pthread_getattr_np says of a thread: where its stack is, how large, and whether it is detached.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void check(pthread_t thread, char *local, size_t wanted, size_t guard) {
    pthread_attr_t attributes;
    void *start;
    size_t size, shown;
    int state;
    assert(pthread_getattr_np(thread, &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &start, &size) == 0);
    assert(pthread_attr_getguardsize(&attributes, &shown) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0);
    assert((char *)start <= local && local < (char *)start + size);
    assert(wanted == 0 || size == wanted);
    assert(shown == guard);
#ifndef DETACHES
    assert(state == PTHREAD_CREATE_JOINABLE);
#elif defined(EARLY)
    assert(wanted == 0 || state == PTHREAD_CREATE_JOINABLE); // BUG: assertion(early)
#else
    assert(wanted == 0 || state == PTHREAD_CREATE_DETACHED); // BUG: assertion(late)
#endif
    pthread_attr_destroy(&attributes);
}

static void *thread(void *arg) {
    char local = 0;
    check(pthread_self(), &local, 65536, 8192);
    return arg;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t other;
    char local = 0;
    check(pthread_self(), &local, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_attr_setguardsize(&attributes, 5000);
    pthread_create(&other, &attributes, thread, NULL);
#ifdef DETACHES
    pthread_detach(other);
    pthread_exit(NULL);
#else
    pthread_join(other, NULL);
    return 0;
#endif
}
