// Must be parked: an atomic variable counts the rounds, and nobody reads it. Its operations are steps all the same.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, rounds;

static void *poller(void *arg) {
    while (!atomic_load(&flag))
        atomic_fetch_add(&rounds, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
