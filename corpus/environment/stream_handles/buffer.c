// What two threads print is independent; in which order it is in the program's own buffer is not.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char buffer[64];

static void *printer(void *argument) {
    fputs("a", stdout);
    return argument;
}

int main(void) {
    pthread_t thread;
#ifndef LIBRARYS
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
#endif
    pthread_create(&thread, NULL, printer, NULL);
    fputs("b", stdout);
    pthread_join(thread, NULL);
    assert(buffer[0] != 'a'); // BUG: assertion
    return 0;
}
