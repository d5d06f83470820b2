// Destroys a barrier at which a thread may be waiting.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *thread(void *arg) {
    pthread_barrier_wait(&barrier); // BUG: barrier-misuse
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, thread, NULL);
    pthread_barrier_destroy(&barrier); // BUG: barrier-misuse
    pthread_join(t, NULL);
    return 0;
}
