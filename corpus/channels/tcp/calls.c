// What calls on sockets of TCP return in Linux, where no thread waits. In parts, as many sockets are polled.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))
#define ALL (POLLIN | POLLOUT | POLLRDHUP)

static int stream(int flags) {
    int fd = socket(AF_INET, SOCK_STREAM | flags, 0);
    assert(fd >= 0);
    return fd;
}

static struct sockaddr_in at(int port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return name;
}

static int attach(int fd, struct sockaddr_in to) {
    return connect(fd, (struct sockaddr *)&to, sizeof to);
}

static int name_it(int fd, struct sockaddr_in as) {
    return bind(fd, (struct sockaddr *)&as, sizeof as);
}

static struct sockaddr_in own(int fd) {
    struct sockaddr_in name;
    socklen_t len = sizeof name;
    assert(getsockname(fd, (struct sockaddr *)&name, &len) == 0 && len == sizeof name && name.sin_family == AF_INET);
    return name;
}

static int events(int fd) {
    struct pollfd polled = {.fd = fd, .events = ALL};
    int count = poll(&polled, 1, 0);
    assert(count == (polled.revents != 0));
    return polled.revents;
}

#if PART == 0
static void fresh(void) {
    char byte;
    int count, fd = stream(0);
    struct sockaddr_in name = at(0), other = at(1);
    socklen_t len = sizeof name;
    FAILS(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT);
    FAILS(socket(AF_INET, SOCK_SEQPACKET, 0), ESOCKTNOSUPPORT);
    assert(events(fd) == (POLLOUT | POLLHUP) && own(fd).sin_port == 0);
    FAILS(getpeername(fd, (struct sockaddr *)&name, &len), ENOTCONN);
    FAILS(read(fd, &byte, 1), ENOTCONN);
    assert(read(fd, &byte, 0) == 0);
    FAILS(write(fd, "x", 1), EPIPE);
    FAILS(write(fd, "x", 0), EPIPE);
    FAILS(recv(fd, &byte, 1, 0), ENOTCONN);
    FAILS(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
    FAILS(sendto(fd, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&other, sizeof other), EPIPE);
    FAILS(accept(fd, NULL, NULL), EINVAL);
    FAILS(shutdown(fd, SHUT_WR), ENOTCONN);
    FAILS(shutdown(fd, 9), EINVAL);
    assert(ioctl(fd, FIONREAD, &count) == 0 && count == 0);
    FAILS(bind(fd, (struct sockaddr *)&name, 15), EINVAL);
    FAILS(connect(fd, (struct sockaddr *)&other, 15), EINVAL);
    other.sin_family = AF_UNIX;
    FAILS(name_it(fd, other), EAFNOSUPPORT);
    FAILS(attach(fd, other), EAFNOSUPPORT);
    FAILS(attach(fd, at(1)), ECONNREFUSED);
    assert(events(fd) == (POLLOUT | POLLHUP));
    close(fd);
}

static void names(void) {
    char byte;
    int listener = stream(0), other = stream(0), count;
    assert(name_it(listener, at(0)) == 0 && own(listener).sin_port != 0);
    struct sockaddr_in name = own(listener);
    assert(name.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    FAILS(name_it(listener, at(0)), EINVAL);
    FAILS(name_it(other, name), EADDRINUSE);
    FAILS(attach(other, name), ECONNREFUSED);
    FAILS(accept(listener, NULL, NULL), EINVAL);
    assert(listen(listener, 0) == 0 && events(listener) == 0 && listen(listener, 1) == 0);
    FAILS(attach(listener, name), EISCONN);
    FAILS(read(listener, &byte, 1), ENOTCONN);
    FAILS(write(listener, "x", 1), EPIPE);
    FAILS(ioctl(listener, FIONREAD, &count), EINVAL);
    close(listener);
    FAILS(attach(other, name), ECONNREFUSED);
    assert(name_it(other, name) == 0);
    close(other);
}

static void options(void) {
    int fd = stream(0), value = 7;
    socklen_t len = sizeof value;
    assert(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) == 0);
    assert(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value) == 0);
    assert(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &len) == 0 && value == 1);
    assert(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len) == 0 && value == AF_INET);
    assert(getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &value, &len) == 0 && value == IPPROTO_TCP);
    close(fd);
}
#elif PART == 1
static void connections(void) {
    char got[8];
    int listener = stream(0), one = stream(SOCK_NONBLOCK), value;
    socklen_t len = sizeof value;
    struct sockaddr_in name, peer;
    assert(name_it(listener, at(0)) == 0 && listen(listener, 4) == 0);
    name = own(listener);
    FAILS(attach(one, name), EINPROGRESS);
    assert(events(one) == POLLOUT && events(listener) == POLLIN);
    assert(getsockopt(one, SOL_SOCKET, SO_ERROR, &value, &len) == 0 && value == 0);
    assert(attach(one, name) == 0);
    FAILS(attach(one, name), EISCONN);
    FAILS(listen(one, 1), EINVAL);
    FAILS(name_it(one, at(0)), EINVAL);
    FAILS(accept(one, NULL, NULL), EINVAL);
    len = sizeof peer;
    int end = accept(listener, (struct sockaddr *)&peer, &len);
    assert(end >= 0 && len == sizeof peer && peer.sin_port == own(one).sin_port && own(end).sin_port == name.sin_port);
    assert(getpeername(one, (struct sockaddr *)&peer, &len) == 0 && peer.sin_port == name.sin_port);
    assert(events(one) == POLLOUT && events(end) == POLLOUT);
    assert(write(one, "abc", 3) == 3 && events(end) == (POLLIN | POLLOUT));
    assert(read(end, got, 2) == 2 && read(end, got, 8) == 1 && write(end, "", 0) == 0);
    FAILS(read(one, got, 8), EAGAIN);
    assert(shutdown(one, SHUT_WR) == 0 && events(one) == POLLOUT && events(end) == ALL);
    FAILS(write(one, "x", 1), EPIPE);
    FAILS(write(one, "x", 0), EPIPE);
    assert(read(end, got, 1) == 0 && write(end, "yy", 2) == 2 && events(one) == (POLLIN | POLLOUT));
    assert(read(one, got, 1) == 1 && shutdown(end, SHUT_WR) == 0);
    assert(events(one) == (ALL | POLLHUP) && events(end) == (ALL | POLLHUP));
    assert(read(one, got, 8) == 1 && read(one, got, 8) == 0);
    close(one);
    close(end);
    /* Closed behind all data. */
    one = stream(0);
    assert(attach(one, name) == 0 && (end = accept(listener, NULL, NULL)) >= 0 && write(end, "zz", 2) == 2);
    close(end);
    assert(events(one) == ALL && read(one, got, 8) == 2 && read(one, got, 8) == 0);
    close(one);
    /* Closed before all is read. */
    one = stream(0);
    assert(attach(one, name) == 0 && (end = accept(listener, NULL, NULL)) >= 0 && write(end, "q", 1) == 1);
    assert(write(one, "zz", 2) == 2);
    close(end);
    assert(events(one) == (ALL | POLLERR | POLLHUP) && read(one, got, 8) == 1);
    FAILS(read(one, got, 8), ECONNRESET);
    FAILS(write(one, "x", 1), EPIPE);
    close(one);
    /* Never accepted. */
    one = stream(0);
    assert(attach(one, name) == 0);
    close(listener);
    assert(events(one) == (ALL | POLLERR | POLLHUP));
    FAILS(read(one, got, 8), ECONNRESET);
    assert(events(one) == (ALL | POLLHUP) && read(one, got, 8) == 0);
    close(one);
}
#else
static void shut_down(void) {
    char got[8];
    int listener = stream(0), one = stream(0), two = stream(0), end;
    assert(name_it(listener, at(0)) == 0 && listen(listener, 4) == 0);
    struct sockaddr_in name = own(listener);
    assert(attach(one, name) == 0 && shutdown(listener, SHUT_WR) == 0);
    assert(events(listener) == POLLIN && events(one) == POLLOUT);
    assert(shutdown(listener, SHUT_RD) == 0 && events(listener) == (POLLOUT | POLLHUP));
    assert(events(one) == (ALL | POLLERR | POLLHUP));
    FAILS(read(one, got, 1), ECONNRESET);
    FAILS(accept(listener, NULL, NULL), EINVAL);
    FAILS(shutdown(listener, SHUT_RD), ENOTCONN);
    FAILS(attach(two, name), ECONNREFUSED);
    close(listener);
    listener = stream(0);
    assert(name_it(listener, at(0)) == 0 && listen(listener, 1) == 0);
    two = stream(0);
    assert(attach(two, own(listener)) == 0 && (end = accept(listener, NULL, NULL)) >= 0);
    assert(shutdown(end, SHUT_RDWR) == 0 && events(end) == (ALL | POLLHUP) && events(two) == ALL);
    assert(read(end, got, 1) == 0 && read(two, got, 1) == 0);
    FAILS(write(end, "x", 1), EPIPE);
}
#endif

int main(void) {
    signal(SIGPIPE, SIG_IGN);
#if PART == 0
    fresh();
    names();
    options();
#elif PART == 1
    connections();
#else
    shut_down();
#endif
    return 0;
}
