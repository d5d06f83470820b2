// One thread prints while it holds a mutex, the other takes the mutex while it holds the lock of the stream.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *argument) {
    flockfile(stdout);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    funlockfile(stdout);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, holder, NULL);
    pthread_mutex_lock(&mutex);
    puts("main"); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
