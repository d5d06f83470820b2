// A thread that sleeps until it is cancelled.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *thread(void *arg) {
    for (;;) {
        sleep(1);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
