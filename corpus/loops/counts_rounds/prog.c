// Must be parked: a global variable counts the rounds, and nobody reads it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static unsigned long rounds;

static void *poller(void *arg) {
    while (!atomic_load(&flag))
        rounds++;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
