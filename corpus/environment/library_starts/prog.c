// A thread that runs a function of the C library accesses what it was given like one that runs a function of the program.
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static union {
    char text[16];
    time_t time;
} shared = {"abc"};

int main(void) {
    pthread_t other;
    void *(*start)(void *) = (void *(*)(void *))START;
    pthread_create(&other, NULL, start, &shared);
#ifdef JOINS
    pthread_join(other, NULL);
#endif
    shared.text[0] = 'x'; // BUG: data-race
#ifndef JOINS
    pthread_join(other, NULL);
#endif
    return 0;
}
