// A poll ends when the other end is closed.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *closer(void *arg) {
    close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, closer, NULL);
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    assert(poll(&polled, 1, -1) == 1 && polled.revents == POLLHUP);
    pthread_join(thread, NULL);
    return 0;
}
