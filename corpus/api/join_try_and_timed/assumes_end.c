// Relies on the thread to have ended.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    assert(pthread_tryjoin_np(t, NULL) == 0); // BUG: assertion
    return 0;
}
