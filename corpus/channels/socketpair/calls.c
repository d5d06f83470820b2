// What calls on connected sockets return in Linux, where no thread waits.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

static int events(int fd, int asked) {
    struct pollfd polled = {.fd = fd, .events = asked};
    int count = poll(&polled, 1, 0);
    assert(count == (polled.revents != 0));
    return polled.revents;
}

static void moves(void) {
    int ends[2], count;
    char got[16];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    assert(send(ends[0], "abc", 3, 0) == 3 && write(ends[0], "de", 2) == 2);
    assert(ioctl(ends[1], FIONREAD, &count) == 0 && count == 5);
    assert(recv(ends[1], got, 4, MSG_PEEK) == 4 && !memcmp(got, "abcd", 4));
    assert(recv(ends[1], got, 4, MSG_WAITALL) == 4 && !memcmp(got, "abcd", 4));
    assert(read(ends[1], got, 16) == 1 && got[0] == 'e' && read(ends[1], got, 0) == 0);
    FAILS(recv(ends[1], got, 1, MSG_DONTWAIT), EAGAIN);
    struct iovec out[2] = {{"xy", 2}, {"z", 1}}, in[2] = {{got, 1}, {got + 8, 8}};
    struct msghdr sent = {.msg_iov = out, .msg_iovlen = 2};
    char control[64], name[32];
    struct msghdr taken = {name, sizeof name, in, 2, control, sizeof control, -1};
    assert(sendmsg(ends[1], &sent, MSG_NOSIGNAL) == 3 && recvmsg(ends[0], &taken, 0) == 3);
    assert(got[0] == 'x' && got[8] == 'y' && got[9] == 'z');
    assert(taken.msg_namelen == 0 && taken.msg_controllen == 0 && taken.msg_flags == 0);
    struct sockaddr_storage from;
    socklen_t len = sizeof from;
    assert(writev(ends[1], out, 2) == 3);
    assert(recvfrom(ends[0], got, 16, 0, (struct sockaddr *)&from, &len) == 3 && len == 0);
    FAILS(sendto(ends[0], "x", 1, 0, (struct sockaddr *)&from, sizeof from), EISCONN);
    int more = dup(ends[0]);
    close(ends[0]);
    assert(write(more, "x", 1) == 1 && read(ends[1], got, 2) == 1);
    close(more);
    close(ends[1]);
}

static void ends_of_data(void) {
    int ends[2];
    char got[4];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(events(ends[0], POLLIN | POLLOUT | POLLRDHUP) == POLLOUT);
    assert(write(ends[0], "ab", 2) == 2);
    assert(shutdown(ends[0], SHUT_WR) == 0);
    FAILS(send(ends[0], "x", 1, MSG_NOSIGNAL), EPIPE);
    FAILS(write(ends[0], "x", 0), EPIPE);
    assert(events(ends[0], POLLIN | POLLOUT) == POLLOUT);
    assert(events(ends[1], POLLIN | POLLRDHUP) == (POLLIN | POLLRDHUP));
    assert(read(ends[1], got, 4) == 2 && read(ends[1], got, 4) == 0);
    assert(write(ends[1], "c", 1) == 1 && read(ends[0], got, 4) == 1);
    assert(shutdown(ends[0], SHUT_RD) == 0 && read(ends[0], got, 1) == 0);
    assert(events(ends[1], POLLIN | POLLOUT) == (POLLIN | POLLOUT | POLLHUP));
    FAILS(shutdown(ends[0], 3), EINVAL);
    close(ends[0]);
    close(ends[1]);
    /* A socket that is closed before it has read everything resets the other one, once. */
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(write(ends[0], "ab", 2) == 2 && write(ends[1], "c", 1) == 1);
    close(ends[1]);
    assert(events(ends[0], POLLIN | POLLOUT) == (POLLIN | POLLOUT | POLLHUP | POLLERR));
    assert(read(ends[0], got, 4) == 1);
    FAILS(read(ends[0], got, 4), ECONNRESET);
    assert(read(ends[0], got, 4) == 0);
    assert(events(ends[0], POLLIN | POLLOUT) == (POLLIN | POLLOUT | POLLHUP));
    FAILS(write(ends[0], "x", 1), EPIPE);
    close(ends[0]);
}

static void others(void) {
    int ends[2], pipes[2];
    char got;
    struct stat one, two;
    FAILS(socketpair(AF_INET, SOCK_STREAM, 0, ends), EOPNOTSUPP);
    FAILS(socketpair(AF_UNIX, SOCK_STREAM, 7, ends), EPROTONOSUPPORT);
    FAILS(send(77, "x", 1, 0), EBADF);
    assert(pipe(pipes) == 0);
    FAILS(send(pipes[1], "x", 1, 0), ENOTSOCK);
    FAILS(recv(pipes[0], &got, 1, 0), ENOTSOCK);
    FAILS(shutdown(pipes[0], SHUT_RD), ENOTSOCK);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(fstat(ends[0], &one) == 0 && S_ISSOCK(one.st_mode) && fstat(ends[1], &two) == 0);
    assert(one.st_ino != two.st_ino);
    FAILS(lseek(ends[0], 0, SEEK_CUR), ESPIPE);
    FAILS(fcntl(ends[0], F_GETPIPE_SZ), EBADF);
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    FAILS(read(ends[0], &got, 1), EAGAIN);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    moves();
    ends_of_data();
    others();
    return 0;
}
