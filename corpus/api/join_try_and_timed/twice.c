// A thread is joined again by a tryjoin.
#define _GNU_SOURCE
#include <pthread.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_tryjoin_np(t, NULL); // BUG: join-invalid
    return 0;
}
