// A thread gives back the lock of a stream that another thread holds.
#include <pthread.h>
#include <stdio.h>

static void *thief(void *argument) {
    funlockfile(stdout); // BUG: unlock-not-owner
    return argument;
}

int main(void) {
    pthread_t thread;
    flockfile(stdout);
    pthread_create(&thread, NULL, thief, NULL);
    pthread_join(thread, NULL);
    funlockfile(stdout);
    return 0;
}
