// Must be parked: the loop counts its looks and yields after every third, so that its registers come back after three rounds.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waits(void *arg) {
    int spins = 0;
    while (!atomic_load(&flag))
        if (++spins == 3) {
            sched_yield();
            spins = 0;
        }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
