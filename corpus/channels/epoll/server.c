// A server answers a client over a socket: it waits for requests, and for the word that all is over on an event
// counter, which the client gives once it has its answer, or too early.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int instance, ends[2], over;

static void watch(int fd) {
    struct epoll_event event = {EPOLLIN, {.fd = fd}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void *server(void *arg) {
    watch(over);
    watch(ends[0]);
    for (;;) {
        struct epoll_event found;
        char request;
        assert(epoll_wait(instance, &found, 1, -1) == 1);
        if (found.data.fd == over) break;
        assert(recv(ends[0], &request, 1, 0) == 1);
        request++;
        send(ends[0], &request, 1, 0);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    uint64_t one = 1;
    char byte = 'a';
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    over = eventfd(0, 0);
    instance = epoll_create1(0);
    pthread_create(&thread, NULL, server, NULL);
    send(ends[1], &byte, 1, 0);
#ifdef EARLY
    write(over, &one, 8);
    recv(ends[1], &byte, 1, 0); // BUG: deadlock
#else
    recv(ends[1], &byte, 1, 0);
    write(over, &one, 8);
#endif
    assert(byte == 'b');
    pthread_join(thread, NULL);
    return 0;
}
