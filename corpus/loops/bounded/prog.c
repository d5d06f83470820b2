// Must not be parked: the rounds are counted, and the loop gives up.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *poller(void *arg) {
    for (int rounds = 0; rounds < 3 && !atomic_load(&flag); rounds++)
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
