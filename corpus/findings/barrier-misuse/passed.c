// The same after the round.
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
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    pthread_join(t, NULL);
    return 0;
}
