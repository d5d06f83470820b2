// The lock of standard output guards a variable, and can be tried.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int printed;

static void *printer(void *argument) {
#ifdef TRIED
    if (ftrylockfile(stdout) != 0)
        return argument;
#else
    flockfile(stdout);
#endif
    printf("%d\n", printed);
#ifndef RACE
    printed++;
#endif
    funlockfile(stdout);
#ifdef RACE
    printed++; // BUG: data-race
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, printer, NULL);
    printer(NULL);
    pthread_join(thread, NULL);
#ifdef TRIED
    assert(printed == 2); // BUG: assertion
#endif
    return 0;
}
