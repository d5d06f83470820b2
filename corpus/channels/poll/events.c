// What poll and select say of pipes, files and numbers that are not open.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

static int events(int fd, int asked) {
    struct pollfd polled = {.fd = fd, .events = asked};
    int count = poll(&polled, 1, 0);
    assert(count == (polled.revents != 0));
    return polled.revents;
}

int main(void) {
    int ends[2], other[2];
    char byte;
    fd_set reads, writes;
    struct timeval now = {0, 0};
    struct timespec soon = {0, 1000};
    assert(pipe(ends) == 0 && pipe(other) == 0);
    assert(events(ends[0], POLLIN | POLLOUT) == 0);
    assert(events(ends[1], POLLIN | POLLOUT) == POLLOUT);
    write(ends[1], "x", 1);
    assert(events(ends[0], POLLIN) == POLLIN && events(ends[0], 0) == 0);
    close(ends[1]);
    assert(events(ends[0], POLLIN) == (POLLIN | POLLHUP));
    read(ends[0], &byte, 1);
    assert(events(ends[0], POLLIN) == POLLHUP && events(ends[0], 0) == POLLHUP);
    close(other[0]);
    assert(events(other[1], POLLOUT) == (POLLOUT | POLLERR));
    assert(events(other[0], POLLIN) == POLLNVAL);
    assert(events(-1, POLLIN) == 0);
    int file = open("/etc/passwd", O_RDONLY);
    assert(file < 0 || events(file, POLLIN | POLLOUT) == (POLLIN | POLLOUT));
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_SET(ends[0], &reads);
    FD_SET(other[1], &writes);
    assert(select(other[1] + 1, &reads, &writes, NULL, &now) == 2);
    assert(FD_ISSET(ends[0], &reads) && FD_ISSET(other[1], &writes));
    assert(pipe(ends) == 0);
    FD_ZERO(&reads);
    FD_SET(ends[0], &reads);
    assert(select(ends[0] + 1, &reads, NULL, NULL, &now) == 0 && !FD_ISSET(ends[0], &reads));
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    assert(ppoll(&polled, 1, &soon, NULL) == 0);
    return 0;
}
