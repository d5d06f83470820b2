// Must be parked: each round prints, which nobody can tell.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;

static void *waits(void *arg) {
    while (!atomic_load(&flag)) {
        puts("waiting for the flag");
        fprintf(stderr, "it is still %d, and nobody reads this\n", 0);
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
