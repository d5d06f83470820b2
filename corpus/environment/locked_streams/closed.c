// The lock of a stream that was closed.
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *closer(void *argument) {
    fclose(stream);
    return argument;
}

int main(void) {
    pthread_t thread;
    stream = fopen("file", "r");
#ifdef BEFORE
    flockfile(stream);
    funlockfile(stream);
#endif
    pthread_create(&thread, NULL, closer, NULL);
    pthread_join(thread, NULL);
#ifndef BEFORE
    flockfile(stream); // BUG: heap-use-after-free
#endif
    return 0;
}
