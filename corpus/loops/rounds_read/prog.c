// Must not be parked: main reads after the loop how many rounds there were.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int rounds;

static void *poller(void *arg) {
    while (!atomic_load(&flag) && rounds < 3)
        rounds++;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return rounds > 3;
}
