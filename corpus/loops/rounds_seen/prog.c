// Must not be parked for good: another thread waits until there were two rounds.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, rounds;

static void *poller(void *arg) {
    int mine = 0;
    while (!atomic_load(&flag)) {
        if (mine < 2)
            atomic_store(&rounds, ++mine);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    while (atomic_load(&rounds) < 2)
        ;
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
