// Reads what the thread writes even if the tryjoin has failed.
#define _GNU_SOURCE
#include <pthread.h>

static int value;

static void *thread(void *arg) {
    value = 1; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    int busy = pthread_tryjoin_np(t, NULL);
    int seen = value;
    if (busy)
        pthread_join(t, NULL);
    return seen & 0;
}
