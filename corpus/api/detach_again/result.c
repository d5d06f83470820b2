// Two threads detach a third one: which of the calls fails is decided by their order. That it is a mistake is ignored.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t child;

static void *work(void *argument) {
    return argument;
}

static void *detach(void *argument) {
    assert(pthread_detach(child) == 0); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&child, NULL, work, NULL);
    pthread_create(&thread, NULL, detach, NULL);
    pthread_detach(child);
    pthread_join(thread, NULL);
    pthread_exit(NULL);
}
