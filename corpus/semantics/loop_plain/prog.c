// Must be parked even though the flag is no atomic: the run has to end to show the race.
#include <pthread.h>

static volatile int flag;

static void *waiter(void *arg) {
    while (!flag) // BUG: data-race
        ;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    flag = 1; // BUG: data-race
    pthread_join(t, NULL);
    return 0;
}
