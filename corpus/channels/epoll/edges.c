// What wakes a descriptor that is watched for edges, or once: as Linux does it.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int instance;

static void watch(int operation, int fd, uint32_t events) {
    struct epoll_event event = {events, {.fd = fd}};
    assert(epoll_ctl(instance, operation, fd, &event) == 0);
}

// Whether one descriptor reports these events, or none if they are 0.
static int reports(int fd, uint32_t events) {
    struct epoll_event found[4];
    int count = epoll_wait(instance, found, 4, 0);
    return events == 0 ? count == 0 : count == 1 && found[0].data.fd == fd && found[0].events == events;
}

static void of_pipe(void) {
    static char buffer[65536];
    int ends[2];
    assert(pipe2(ends, O_NONBLOCK) == 0);
    int from = ends[0], to = ends[1];
    watch(EPOLL_CTL_ADD, to, EPOLLOUT | EPOLLET);
    assert(reports(to, EPOLLOUT) && reports(to, 0));
    watch(EPOLL_CTL_ADD, from, EPOLLIN | EPOLLET);
    assert(write(to, buffer, 65536) == 65536);
    assert(reports(from, EPOLLIN) && reports(from, 0));
    // A write that finds no room.
    assert(write(to, "x", 1) == -1 && reports(from, EPOLLIN));
    // There is room once a page is free.
    assert(read(from, buffer, 4000) == 4000 && reports(from, 0));
    assert(read(from, buffer, 200) == 200 && reports(to, EPOLLOUT));
    assert(read(from, buffer, 9000) == 9000 && reports(to, 0));
    assert(read(from, buffer, 65536) == 65536 - 13200 && reports(to, 0));
    // Each write is an edge.
    assert(write(to, "x", 1) == 1 && reports(from, EPOLLIN));
    assert(write(to, "x", 1) == 1 && reports(from, EPOLLIN) && reports(from, 0));
    assert(fcntl(to, F_SETPIPE_SZ, 4096) == 4096 && reports(to, 0));
    assert(fcntl(to, F_SETPIPE_SZ, 8192) == 8192 && reports(to, EPOLLOUT));
    // Watching it again is one as well.
    watch(EPOLL_CTL_MOD, from, EPOLLIN | EPOLLET);
    assert(reports(from, EPOLLIN) && reports(from, 0));
    close(to);
    assert(reports(from, EPOLLIN | EPOLLHUP) && reports(from, 0));
    close(from);
}

static void of_counter(void) {
    uint64_t value = 0;
    int fd = eventfd(0, EFD_NONBLOCK);
    watch(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLOUT | EPOLLET);
    assert(reports(fd, EPOLLOUT) && reports(fd, 0));
    assert(write(fd, &value, 8) == 8 && reports(fd, EPOLLOUT));
    value = 2;
    assert(write(fd, &value, 8) == 8 && reports(fd, EPOLLIN | EPOLLOUT));
    assert(read(fd, &value, 8) == 8 && reports(fd, EPOLLOUT));
    assert(read(fd, &value, 8) == -1 && reports(fd, 0));
    value = UINT64_MAX - 1;
    assert(write(fd, &value, 8) == 8 && reports(fd, EPOLLIN));
    value = 1;
    assert(write(fd, &value, 8) == -1 && reports(fd, 0));
    close(fd);
}

static void of_sockets(void) {
    static char buffer[4096];
    int ends[2], wrote;
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    assert(reports(ends[0], EPOLLOUT) && reports(ends[0], 0));
    assert(write(ends[1], "xy", 2) == 2 && reports(ends[0], EPOLLIN | EPOLLOUT));
    assert(read(ends[0], buffer, 1) == 1 && reports(ends[0], 0));
    // Room is reported once much of it is free.
    for (wrote = 0; write(ends[0], buffer, 4096) == 4096;) wrote++;
    assert(reports(ends[0], 0));
    for (int i = 0; i < wrote; i++) {
        assert(read(ends[1], buffer, 4096) == 4096);
        if (i < wrote / 2) assert(reports(ends[0], 0));
    }
    assert(reports(ends[0], EPOLLIN | EPOLLOUT) && reports(ends[0], 0));
    assert(shutdown(ends[1], SHUT_WR) == 0 && reports(ends[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP));
    assert(shutdown(ends[0], SHUT_WR) == 0 && reports(ends[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLHUP));
    close(ends[1]);
    assert(reports(ends[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLHUP) && reports(ends[0], 0));
    close(ends[0]);
}

static void once(void) {
    int ends[2];
    assert(pipe2(ends, O_NONBLOCK) == 0 && write(ends[1], "x", 1) == 1);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN | EPOLLONESHOT);
    assert(reports(ends[0], EPOLLIN) && reports(ends[0], 0));
    assert(write(ends[1], "x", 1) == 1 && reports(ends[0], 0));
    watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT);
    assert(reports(ends[0], EPOLLIN) && reports(ends[0], 0));
    // Not even the end is reported of one that has had its event.
    close(ends[1]);
    assert(reports(ends[0], 0));
    watch(EPOLL_CTL_MOD, ends[0], 0);
    assert(reports(ends[0], EPOLLHUP) && reports(ends[0], EPOLLHUP));
    close(ends[0]);
}

// What is watched is the open description: it is reported under its number as long as any descriptor has it.
static void of_duplicate(void) {
    int ends[2];
    assert(pipe(ends) == 0);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN);
    int copy = dup(ends[0]), number = ends[0];
    watch(EPOLL_CTL_ADD, copy, EPOLLIN | EPOLLONESHOT);
    close(ends[0]);
    assert(write(ends[1], "x", 1) == 1);
    struct epoll_event found[3];
    assert(epoll_wait(instance, found, 3, 0) == 2);
    assert(reports(number, EPOLLIN));
    close(copy);
    assert(reports(number, 0));
    close(ends[1]);
}

int main(void) {
    instance = epoll_create1(0);
    of_pipe();
    of_counter();
    of_sockets();
    once();
    of_duplicate();
    return 0;
}
