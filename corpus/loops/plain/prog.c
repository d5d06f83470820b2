// Must be parked: the plainest loop that waits. The other programs of this folder with the same count differ in how the
// loop is written.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *poller(void *arg) {
    while (!atomic_load(&flag))
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
