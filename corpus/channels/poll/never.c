// A thread polls two pipes for ever, to which nobody writes: the writer chooses a third one.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[3][2];

static void *poller(void *arg) {
    struct pollfd polled[2] = {{.fd = pipes[0][0], .events = POLLIN}, {.fd = pipes[1][0], .events = POLLIN}};
    assert(poll(polled, 2, -1) == 1); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 3; i++) assert(pipe(pipes[i]) == 0);
    pthread_create(&thread, NULL, poller, NULL);
#ifdef RIGHT
    write(pipes[1][1], "x", 1);
#else
    write(pipes[2][1], "x", 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
