// A thread that is neither joined nor detached: what it leaves behind is never cleaned up.
#include <pthread.h>

static void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL); // BUG: thread-not-joined
    pthread_exit(NULL);
}
