/* Pipes, sockets, event counters and instances of epoll. */
#include "headers.h"

static int pair[2], ends[2], listener, counter, instance;
static char bytes[9];
static struct sockaddr_un address = {AF_UNIX, "socket"};

static void begin(void) {
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
    pipe2(ends, O_NONBLOCK);
    counter = eventfd(0, EFD_NONBLOCK);
    instance = epoll_create1(0);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
}

static long end(void) {
    return 0;
}

static long option(int number, int name) {
    int value = 0;
    socklen_t len = sizeof value;
    return getsockopt(number, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static long polled(int number) {
    struct pollfd entry = {number, POLLIN | POLLOUT, 0};
    return poll(&entry, 1, 0) * 1000 + entry.revents;
}

static long unread(int number) {
    int count = -1;
    return ioctl(number, FIONREAD, &count) ? -1 : count;
}

static long watched(int operation, int number, unsigned events) {
    struct epoll_event event = {events, {.fd = number}};
    return epoll_ctl(instance, operation, number, &event);
}

static long happened(void) {
    struct epoll_event event;
    return epoll_wait(instance, &event, 1, 0);
}

static long count(void) {
    eventfd_t value = 0;
    return eventfd_read(counter, &value) ? -1 : (long)value;
}

static long connected(void) {
    return connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), (void *)&address, sizeof address);
}

static long named(int (*asks)(int, struct sockaddr *restrict, socklen_t *restrict), int number) {
    struct sockaddr_un found;
    socklen_t len = sizeof found;
    return asks(number, (void *)&found, &len) ? -1 : (long)len;
}

#define CALLS(CALL) \
    CALL(send(pair[0], "ab", 2, 0)) \
    CALL(recv(pair[1], bytes, 1, 0)) \
    CALL(recv(pair[1], bytes, 1, MSG_PEEK)) \
    CALL(recv(pair[0], bytes, 9, 0)) \
    CALL(read(pair[1], bytes, 9)) \
    CALL(writev(pair[1], &(struct iovec){"xyz", 3}, 1)) \
    CALL(shutdown(pair[0], SHUT_WR)) \
    CALL(shutdown(pair[1], SHUT_RD)) \
    CALL(shutdown(pair[1], SHUT_RDWR)) \
    CALL(close(pair[0])) \
    CALL(close(pair[1])) \
    CALL(setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &(int){1}, 4)) \
    CALL(option(pair[0], SO_KEEPALIVE)) \
    CALL(option(pair[1], SO_ERROR)) \
    CALL(option(pair[1], SO_TYPE)) \
    CALL(polled(pair[1])) \
    CALL(unread(pair[1])) \
    CALL(fcntl(pair[0], F_SETFL, 0)) \
    CALL(fcntl(pair[0], F_GETFL)) \
    CALL(fcntl(pair[0], F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(pair[0], F_GETFD)) \
    CALL(named(getpeername, pair[0])) \
    CALL(bind(listener, (void *)&address, sizeof address)) \
    CALL(listen(listener, 3)) \
    CALL(bind(listener, (void *)&address, sizeof address) + listen(listener, 3)) \
    CALL(named(getsockname, listener)) \
    CALL(option(listener, SO_ACCEPTCONN)) \
    CALL(connected()) \
    CALL(accept(listener, 0, 0)) \
    CALL(access("socket", F_OK)) \
    CALL(unlink("socket")) \
    CALL(write(ends[1], "ab", 2)) \
    CALL(read(ends[0], bytes, 1)) \
    CALL(unread(ends[0])) \
    CALL(polled(ends[0])) \
    CALL(polled(ends[1])) \
    CALL(close(ends[0])) \
    CALL(close(ends[1])) \
    CALL(fcntl(ends[1], F_SETPIPE_SZ, 8192)) \
    CALL(fcntl(ends[1], F_GETPIPE_SZ)) \
    CALL(eventfd_write(counter, 3)) \
    CALL(count()) \
    CALL(polled(counter)) \
    CALL(close(counter)) \
    CALL(watched(EPOLL_CTL_ADD, counter, EPOLLIN)) \
    CALL(watched(EPOLL_CTL_DEL, counter, EPOLLIN)) \
    CALL(watched(EPOLL_CTL_MOD, counter, EPOLLOUT)) \
    CALL(watched(EPOLL_CTL_ADD, ends[0], EPOLLIN)) \
    CALL(watched(EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLOUT)) \
    CALL(happened()) \
    CALL(close(instance))

#include "driver.h"
