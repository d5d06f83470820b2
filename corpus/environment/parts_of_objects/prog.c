// A mutex with static storage of which another thread writes a few bytes while it is in use.
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *argument) {
    pthread_mutex_lock(&mutex); // BUG: data-race
    pthread_mutex_unlock(&mutex); // BUG: data-race
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, lock, NULL);
#ifdef JOINS
    pthread_join(other, NULL);
#endif
    ((volatile char *)&mutex)[AT] = 0; // BUG: data-race
#ifndef JOINS
    pthread_join(other, NULL);
#endif
    return 0;
}
