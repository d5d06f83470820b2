// A loop that tries until the thread has ended.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    while (pthread_tryjoin_np(t, NULL) != 0)
        sched_yield();
    return 0;
}
