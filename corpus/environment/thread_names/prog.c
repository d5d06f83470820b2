// A thread is given a name: by itself, or by another thread, which is not modelled.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *thread(void *arg) {
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    char name[16];
    pthread_create(&t, NULL, thread, NULL);
#ifdef NAMES
    pthread_setname_np(t, "other");
#endif
#ifdef ASKS
    pthread_getname_np(t, name, sizeof name);
#endif
    pthread_join(t, NULL);
    return 0;
}
