// A barrier that is a local variable: its function returns while the other thread of the round may not have left it yet.
#include <pthread.h>

static void *meet(void *barrier) {
    pthread_barrier_wait(barrier); // BUG: data-race
    return NULL;
}

static void start(void) {
    pthread_barrier_t barrier;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meet, &barrier);
    pthread_detach(thread);
    pthread_barrier_wait(&barrier);
#ifdef DESTROYED
    pthread_barrier_destroy(&barrier);
#endif
} // BUG: data-race

int main(void) {
    start();
    pthread_exit(NULL);
}
