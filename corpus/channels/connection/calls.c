// What calls on sockets of AF_UNIX return in Linux, where no thread waits. In parts, as many sockets are polled.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))
#define ALL (POLLIN | POLLOUT | POLLRDHUP)

static struct sockaddr_un file = {AF_UNIX, "calls.sock"}, hidden = {AF_UNIX, "\0calls"};
static const socklen_t file_len = offsetof(struct sockaddr_un, sun_path) + sizeof "calls.sock", hidden_len = 8;

static int stream(int flags) {
    int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);
    assert(fd >= 0);
    return fd;
}

static int attach(int fd, const struct sockaddr_un *to, socklen_t len) {
    return connect(fd, (const struct sockaddr *)to, len);
}

static int name_it(int fd, const struct sockaddr_un *as, socklen_t len) {
    return bind(fd, (const struct sockaddr *)as, len);
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
    struct sockaddr_storage name;
    socklen_t len = sizeof name;
    FAILS(socket(99, SOCK_STREAM, 0), EAFNOSUPPORT);
    FAILS(socket(AF_UNIX, 99, 0), EINVAL);
    FAILS(socket(AF_UNIX, SOCK_STREAM, 5), EPROTONOSUPPORT);
    FAILS(socket(AF_UNIX, SOCK_STREAM | 0x10000, 0), EINVAL);
    assert(events(fd) == (POLLOUT | POLLHUP));
    assert(getsockname(fd, (struct sockaddr *)&name, &len) == 0 && len == 2 && name.ss_family == AF_UNIX);
    FAILS(getpeername(fd, (struct sockaddr *)&name, &len), ENOTCONN);
    FAILS(read(fd, &byte, 1), EINVAL);
    assert(read(fd, &byte, 0) == 0);
    FAILS(write(fd, "x", 1), ENOTCONN);
    FAILS(write(fd, "x", 0), ENOTCONN);
    FAILS(recv(fd, &byte, 1, 0), EINVAL);
    FAILS(send(fd, "x", 1, 0), ENOTCONN);
    FAILS(sendto(fd, "x", 1, 0, (struct sockaddr *)&file, file_len), EOPNOTSUPP);
    FAILS(accept(fd, NULL, NULL), EINVAL);
    FAILS(listen(fd, 5), EINVAL);
    FAILS(shutdown(fd, 7), EINVAL);
    assert(ioctl(fd, FIONREAD, &count) == 0 && count == 0);
    FAILS(attach(fd, &file, file_len), ENOENT);
    FAILS(attach(fd, &file, 2), EINVAL);
    FAILS(attach(fd, &file, 200), EINVAL);
    FAILS(attach(fd, &hidden, hidden_len), ECONNREFUSED);
    struct sockaddr_un other = {AF_INET, "x"};
    FAILS(attach(fd, &other, sizeof other), EINVAL);
    FAILS(name_it(fd, &other, sizeof other), EINVAL);
    FAILS(name_it(fd, &file, 1), EINVAL);
    FAILS(name_it(fd, &file, 200), EINVAL);
    other = (struct sockaddr_un){AF_UNIX, "no such folder/x"};
    FAILS(name_it(fd, &other, sizeof other), ENOENT);
    other = (struct sockaddr_un){AF_UNIX, "/etc/passwd"};
    FAILS(name_it(fd, &other, sizeof other), EADDRINUSE);
    FAILS(attach(fd, &other, sizeof other), ECONNREFUSED);
    other = (struct sockaddr_un){AF_UNIX, "/etc/passwd/x"};
    FAILS(name_it(fd, &other, sizeof other), ENOTDIR);
    FAILS(attach(fd, &other, sizeof other), ENOTDIR);
    close(fd);
    FAILS(listen(fd, 1), EBADF);
    FAILS(accept4(fd, NULL, NULL, 0x10), EBADF);
    int ends[2];
    assert(pipe(ends) == 0);
    FAILS(listen(ends[0], 1), ENOTSOCK);
    FAILS(accept(ends[0], NULL, NULL), ENOTSOCK);
    FAILS(accept4(ends[0], NULL, NULL, 0x10), EINVAL);
    FAILS(attach(ends[0], &file, file_len), ENOTSOCK);
    close(ends[0]);
    close(ends[1]);
}

static void names(void) {
    int one = stream(0), two = stream(0);
    struct sockaddr_storage name;
    socklen_t len = sizeof name;
    struct stat stat;
    assert(name_it(one, &file, sizeof file) == 0);
    assert(getsockname(one, (struct sockaddr *)&name, &len) == 0 && len == file_len && !memcmp(&name, &file, len));
    assert(lstat("calls.sock", &stat) == 0 && S_ISSOCK(stat.st_mode) && stat.st_size == 0);
    FAILS(open("calls.sock", O_RDWR), ENXIO);
    FAILS(name_it(one, &file, file_len), EADDRINUSE);
    FAILS(name_it(one, &hidden, hidden_len), EINVAL);
    FAILS(name_it(two, &file, file_len), EADDRINUSE);
    FAILS(attach(two, &file, file_len), ECONNREFUSED);
    FAILS(accept(one, NULL, NULL), EINVAL);
    assert(name_it(two, &hidden, hidden_len) == 0);
    len = 5;
    assert(getsockname(two, (struct sockaddr *)&name, &len) == 0 && len == hidden_len);
    int three = stream(0);
    FAILS(name_it(three, &hidden, hidden_len), EADDRINUSE);
    close(two);
    FAILS(attach(three, &hidden, hidden_len), ECONNREFUSED);
    assert(name_it(three, &hidden, hidden_len) == 0);
    close(three);
    close(one);
    assert(rename("calls.sock", "other.sock") == 0);
    one = stream(0);
    FAILS(attach(one, &file, file_len), ENOENT);
    struct sockaddr_un other = {AF_UNIX, "other.sock"};
    FAILS(attach(one, &other, sizeof other), ECONNREFUSED);
    assert(unlink("other.sock") == 0);
    close(one);
}

static void options(void) {
    int fd = stream(0), value = 7;
    socklen_t len = sizeof value;
    assert(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) == 0);
    assert(getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, &len) == 0 && value == 1 && len == 4);
    assert(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, &len) == 0 && value == 0);
    FAILS(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, 3), EINVAL);
    assert(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len) == 0 && value == SOCK_STREAM);
    assert(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len) == 0 && value == AF_UNIX);
    assert(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len) == 0 && value == 0);
    len = 1;
    assert(getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &len) == 0 && value == 0 && len == 1);
    len = -1;
    FAILS(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len), EINVAL);
    FAILS(setsockopt(77, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value), EBADF);
}
#elif PART == 1
static void queues(void) {
    int listener = stream(SOCK_NONBLOCK), one = stream(SOCK_NONBLOCK), two = stream(SOCK_NONBLOCK), count;
    char got[8];
    struct sockaddr_storage name;
    socklen_t len = sizeof name;
    assert(name_it(listener, &file, file_len) == 0 && listen(listener, -1) == 0 && listen(listener, 0) == 0);
    assert(events(listener) == 0);
    FAILS(accept(listener, NULL, NULL), EAGAIN);
    FAILS(attach(listener, &file, file_len), EINVAL);
    FAILS(read(listener, got, 1), EINVAL);
    FAILS(write(listener, "x", 1), ENOTCONN);
    FAILS(ioctl(listener, FIONREAD, &count), EINVAL);
    assert(attach(one, &file, file_len) == 0);
    FAILS(attach(two, &file, file_len), EAGAIN);
    FAILS(attach(one, &file, file_len), EAGAIN);
    assert(events(listener) == POLLIN && events(one) == POLLOUT && events(two) == (POLLOUT | POLLHUP));
    assert(write(one, "hello", 5) == 5);
    FAILS(read(one, got, 1), EAGAIN);
    assert(getpeername(one, (struct sockaddr *)&name, &len) == 0 && len == file_len && !memcmp(&name, &file, len));
    FAILS(listen(one, 1), EINVAL);
    FAILS(accept(one, NULL, NULL), EINVAL);
    len = sizeof name;
    int end = accept(listener, (struct sockaddr *)&name, &len);
    assert(end >= 0 && len == 2 && name.ss_family == AF_UNIX && fcntl(end, F_GETFL) == O_RDWR);
    FAILS(attach(one, &file, file_len), EISCONN);
    len = sizeof name;
    assert(getsockname(end, (struct sockaddr *)&name, &len) == 0 && len == file_len);
    assert(getpeername(end, (struct sockaddr *)&name, &len) == 0 && len == 2);
    assert(read(end, got, 8) == 5 && write(end, "x", 1) == 1 && read(one, got, 8) == 1);
    assert(events(listener) == 0 && attach(two, &file, file_len) == 0);
    int other = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    assert(other >= 0 && fcntl(other, F_GETFL) == (O_RDWR | O_NONBLOCK) && fcntl(other, F_GETFD) == FD_CLOEXEC);
    close(other);
    assert(events(two) == (ALL | POLLHUP));
    close(two);
    two = stream(0);
    assert(attach(two, &file, file_len) == 0 && write(two, "abc", 3) == 3);
    close(listener);
    assert(events(two) == (ALL | POLLHUP | POLLERR));
    FAILS(read(two, got, 1), ECONNRESET);
    assert(read(two, got, 1) == 0);
    FAILS(write(two, "x", 1), EPIPE);
    close(two);
    two = stream(0);
    FAILS(attach(two, &file, file_len), ECONNREFUSED);
    assert(unlink("calls.sock") == 0);
    FAILS(attach(two, &file, file_len), ENOENT);
    close(one);
    close(two);
    close(end);
}
#else
static void shut_down(void) {
    int listener = stream(0), one = stream(0), two = stream(0), three = stream(0);
    assert(name_it(listener, &file, file_len) == 0 && listen(listener, 2) == 0);
    assert(attach(one, &file, file_len) == 0 && shutdown(listener, SHUT_WR) == 0);
    assert(events(listener) == POLLIN && attach(two, &file, file_len) == 0);
    assert(shutdown(listener, SHUT_RD) == 0 && events(listener) == (POLLIN | POLLRDHUP | POLLHUP));
    FAILS(attach(three, &file, file_len), ECONNREFUSED);
    assert(accept(listener, NULL, NULL) >= 0 && accept(listener, NULL, NULL) >= 0);
    assert(events(listener) == (POLLIN | POLLRDHUP | POLLHUP));
    FAILS(accept(listener, NULL, NULL), EINVAL);
    assert(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
    FAILS(accept(listener, NULL, NULL), EAGAIN);
    FAILS(attach(three, &file, file_len), ECONNREFUSED);
    unlink("calls.sock");
}
#endif

int main(void) {
    signal(SIGPIPE, SIG_IGN);
#if PART == 0
    fresh();
    names();
    options();
#elif PART == 1
    queues();
#else
    shut_down();
#endif
    return 0;
}
