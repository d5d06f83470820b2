// Relies on being the serial thread.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *thread(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, thread, NULL);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD); // BUG: assertion
    pthread_join(t, NULL);
    return 0;
}
