// A thread waits for events of a pipe, into which main writes, and finds what main has left in memory once it has read.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int instance, ends[2], value;

static void *reader(void *arg) {
    struct epoll_event found;
    char byte;
    assert(epoll_wait(instance, &found, 1, -1) == 1 && found.events == EPOLLIN && found.data.fd == ends[0]);
#ifdef EARLY
    assert(value == 7); // BUG: data-race(value)
    read(ends[0], &byte, 1);
#else
    read(ends[0], &byte, 1);
    assert(value == 7);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    instance = epoll_create1(0);
    assert(pipe(ends) == 0);
    struct epoll_event event = {EPOLLIN, {.fd = ends[0]}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    value = 7; // BUG: data-race(value)
    write(ends[1], "x", 1);
    pthread_join(thread, NULL);
    return 0;
}
