// Two phases with a barrier after each; exactly one thread of a round is the serial one.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int done[2], serial;

static void *first(void *arg) {
    done[0] = 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    assert(done[1]);
    pthread_barrier_wait(&barrier);
    assert(serial == 1);
    return arg;
}

static void *second(void *arg) {
    done[1] = 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    assert(done[0]);
    pthread_barrier_wait(&barrier);
    assert(serial == 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
