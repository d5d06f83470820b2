// Must be parked: the loop has two ways out, one of them in the middle.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *poller(void *arg) {
    for (;;) {
        int seen = atomic_load(&flag);
        if (seen == 1)
            break;
        if (seen == 2)
            return NULL;
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
