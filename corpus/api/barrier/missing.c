// A round of three, and two threads.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *first(void *arg) {
    pthread_barrier_wait(&barrier); // BUG: deadlock
    return arg;
}

static void *second(void *arg) {
    pthread_barrier_wait(&barrier); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
