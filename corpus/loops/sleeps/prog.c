// Must be parked: each round sleeps.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *poller(void *arg) {
    while (!atomic_load(&flag))
        usleep(10);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
