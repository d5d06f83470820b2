// Must be parked: the functions that look are called through a table, one after the other.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static int no(void) {
    return 0;
}

static int look(void) {
    return atomic_load(&flag);
}

static int (*const table[2])(void) = {no, look};

static void *poller(void *arg) {
    int seen;
    do {
        seen = 0;
        for (int i = 0; i < 2; i++)
            seen |= table[i]();
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
