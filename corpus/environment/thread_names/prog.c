// Threads are given names: by themselves, or by another thread; a new thread has the name of its creator.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

static char shared[8] = "worker";

static void *child(void *arg) {
    char name[16];
    assert(prctl(PR_GET_NAME, name) == 0);
    assert(strcmp(name, "parent") == 0);
    return arg;
}

static void *thread(void *arg) {
    char name[16];
#if defined(OWN)
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "worker") == 0);
#elif defined(NAMES)
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "other") != 0); // BUG: assertion(named)
#elif defined(ASKS)
    assert(prctl(PR_SET_NAME, "worker") == 0);
    (void)name;
#elif defined(INHERITS)
    pthread_t other;
    (void)name;
    assert(prctl(PR_SET_NAME, "parent") == 0);
    pthread_create(&other, NULL, child, NULL);
    pthread_join(other, NULL);
#elif defined(RACES)
    (void)name;
    shared[0] = 'W'; // BUG: data-race(write)
#else
    (void)name;
    assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
    assert(pthread_getname_np(pthread_self(), name, 15) == ERANGE);
    assert(prctl(PR_SET_NAME, "a name that is too long") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "a name that is ") == 0);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    char name[16];
    (void)child, (void)name, (void)shared;
    pthread_create(&t, NULL, thread, NULL);
#ifdef NAMES
    assert(pthread_setname_np(t, "other") == 0);
#endif
#ifdef ASKS
    assert(pthread_getname_np(t, name, sizeof name) == 0);
    assert(strcmp(name, "worker") != 0); // BUG: assertion(asked)
#endif
#ifdef RACES
    pthread_setname_np(pthread_self(), shared); // BUG: data-race(read)
#endif
    pthread_join(t, NULL);
    return 0;
}
