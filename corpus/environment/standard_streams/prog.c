// The C library reads the variable stdout whenever it prints: who assigns to it meanwhile races with that.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *print(void *argument) {
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
#ifdef BY_NAME
    fprintf(stdout, "text\n"); // BUG: data-race
#else
    printf("text\n"); // BUG: data-race
#endif
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, print, NULL);
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
#ifndef READS
    stdout = stderr; // BUG: data-race
#else
    fflush(stdout);
#endif
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(other, NULL);
    return 0;
}
