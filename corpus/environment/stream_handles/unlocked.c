// One thread uses a stream under its lock, another one without.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>

static FILE *stream;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *argument) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    fputs("a", stream); // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
#ifdef OUTPUT
    stream = stdout;
#else
    stream = fopen("file", "w");
#endif
    pthread_create(&thread, NULL, writer, NULL);
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
#ifdef PURGES
    __fpurge(stream); // BUG: data-race
#else
    fputc_unlocked('b', stream); // BUG: data-race
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, NULL);
    return 0;
}
