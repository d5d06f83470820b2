// Must be cut, and what it polls must become visible: no access of the loop is an operation, and it changes what it returns.
#include <pthread.h>
#include <stdint.h>

static int stop;

static void *poller(void *arg) {
    intptr_t rounds = (intptr_t)arg;
    while (!stop) // BUG: data-race
        rounds++;
    return (void *)rounds;
}

int main(void) {
    pthread_t thread;
    void *rounds;
    pthread_create(&thread, NULL, poller, NULL);
    stop = 1; // BUG: data-race
    pthread_join(thread, &rounds);
    return rounds == (void *)-1;
}
