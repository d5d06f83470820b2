// Must be parked: a local variable counts the rounds, and nobody reads it. Without optimisation the compiler keeps it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *poller(void *arg) {
    unsigned rounds = 0;
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
