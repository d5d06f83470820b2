// A thread waits for edges of a pipe and reads two messages. If both come before it has woken up, there is one edge for
// both of them, and a thread that reads one message for each edge waits for ever.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int instance, ends[2];

static void *reader(void *arg) {
    struct epoll_event found;
    char byte;
    for (int got = 0; got < 2;) {
        assert(epoll_wait(instance, &found, 1, -1) == 1); // BUG: deadlock
#ifdef RIGHT
        while (read(ends[0], &byte, 1) == 1) got++;
#else
        if (read(ends[0], &byte, 1) == 1) got++;
#endif
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    struct epoll_event event = {EPOLLIN | EPOLLET, {.fd = 0}};
    instance = epoll_create1(0);
    assert(pipe2(ends, O_NONBLOCK) == 0 && epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    write(ends[1], "a", 1);
    write(ends[1], "b", 1);
    pthread_join(thread, NULL);
    return 0;
}
