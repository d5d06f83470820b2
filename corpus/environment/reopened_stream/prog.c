// A stream that was given a buffer is opened anew: it no longer uses the buffer, which is freed.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *stream;

static void *thread(void *arg) {
    fputs("x", stream); // BUG: heap-use-after-free
    return arg;
}

int main(void) {
    pthread_t t;
    char *buffer = malloc(4096);
    stream = fopen("first", "w");
    setvbuf(stream, buffer, _IOFBF, 4096);
    fputs("hello", stream);
#ifndef SAME
    stream = freopen("second", "w", stream);
#endif
    free(buffer);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    fclose(stream);
    return 0;
}
