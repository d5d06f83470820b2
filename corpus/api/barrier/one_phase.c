// The same without the second barrier: the serial thread may not have counted yet.
#include <pthread.h>

static pthread_barrier_t barrier;
static int serial;

static void *first(void *arg) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++; // BUG: data-race
    if (serial != 1)
        pthread_exit(NULL);
    return arg;
}

static void *second(void *arg) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++; // BUG: data-race
    if (serial != 1)
        pthread_exit(NULL);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
