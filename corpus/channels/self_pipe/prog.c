// A loop that polls is woken by a byte in a pipe to itself. A flag alone does not wake it.
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int ends[2];
static atomic_int stop;

static void *loop(void *arg) {
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    while (!stop) {
        assert(poll(&polled, 1, -1) == 1); // BUG: deadlock
        char byte;
        while (read(ends[0], &byte, 1) == 1) {
        }
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pipe(ends) == 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pthread_create(&thread, NULL, loop, NULL);
#if defined LATE
    write(ends[1], "x", 1);
    stop = 1;
#else
    stop = 1;
#ifdef WAKES
    write(ends[1], "x", 1);
#endif
#endif
    pthread_join(thread, NULL);
    return 0;
}
