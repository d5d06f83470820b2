// How much a socket has room for, and when it says so: as in Linux.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static char bytes[36544];

static int is_writable(int fd) {
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    return poll(&polled, 1, 0);
}

/* Each write counts with what the kernel needs for it. */
static void room(int size, int most, int writable) {
    int ends[2], count = 0, last = 0;
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    for (; write(ends[0], bytes, size) == size; count++)
        if (is_writable(ends[0])) last = count + 1;
    assert(errno == EAGAIN && count == most && last == writable);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    room(1, 278, 69);
    room(193, 167, 41);
    room(3777, 44, 10);
    room(36544, 6, 1);
    return 0;
}
