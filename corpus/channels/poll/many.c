// A thread polls the last of many pipes beside the first one. As one object, a search can see so many.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#ifndef PIPES
#define PIPES 21
#endif

static int pipes[PIPES][2];

static void *writer(void *arg) {
    assert(write(pipes[PIPES - 1][1], "x", 1) == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < PIPES; i++) assert(pipe(pipes[i]) == 0);
    struct pollfd polled[2] = {{.fd = pipes[0][0], .events = POLLIN}, {.fd = pipes[PIPES - 1][0], .events = POLLIN}};
    pthread_create(&thread, NULL, writer, NULL);
    assert(poll(polled, 2, -1) == 1 && polled[0].revents == 0 && polled[1].revents == POLLIN);
    pthread_join(thread, NULL);
    return 0;
}
