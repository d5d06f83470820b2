// What calls that look at descriptors of signals say. One thread.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t all, one;
static int fd, other, watched;

static int ready(int number) {
    struct pollfd asked = {.fd = number, .events = POLLIN | POLLOUT};
    assert(poll(&asked, 1, 0) == (asked.revents != 0));
    return asked.revents;
}

static void watch(int what, int number, uint32_t events) {
    struct epoll_event asked = {.events = events, .data.fd = number};
    assert(epoll_ctl(watched, what, number, &asked) == 0);
}

static int happened(void) {
    struct epoll_event found[3];
    int count = epoll_wait(watched, found, 3, 0);
    return count == 0 ? 0 : count * 100 + found[0].data.fd;
}

static void polls(void) {
    struct signalfd_siginfo about[2];
    assert(ready(fd) == 0 && ready(other) == 0);
    kill(getpid(), SIGUSR2);
    assert(ready(fd) == POLLIN && ready(other) == 0);
    kill(getpid(), SIGUSR1);
    assert(ready(fd) == POLLIN && ready(other) == POLLIN);
    assert(read(other, about, sizeof about) == sizeof *about && ready(other) == 0 && ready(fd) == POLLIN);
    assert(signalfd(other, &all, 0) == other && ready(other) == POLLIN);
    assert(read(fd, about, sizeof about) == sizeof *about && ready(fd) == 0 && ready(other) == 0);
    assert(signalfd(other, &one, 0) == other);
    raise(SIGUSR2);
    assert(ready(fd) == POLLIN && ready(other) == 0);
    assert(read(fd, about, sizeof about) == sizeof *about && about->ssi_signo == SIGUSR2 && ready(fd) == 0);
}

static void epolls(void) {
    struct signalfd_siginfo about[2];
    watched = epoll_create1(0);
    kill(getpid(), SIGUSR1);
    watch(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET);
    watch(EPOLL_CTL_ADD, other, EPOLLIN);
    // One event for each signal that becomes pending.
    assert(happened() == 200 + fd && happened() == 100 + other && happened() == 100 + other);
    kill(getpid(), SIGUSR1);
    assert(happened() == 100 + other);
    kill(getpid(), SIGUSR2);
    assert(happened() == 200 + other);
    assert(read(other, about, sizeof about) == sizeof *about && happened() == 0);
    assert(signalfd(other, &all, 0) == other && happened() == 200 + other);
    assert(read(other, about, sizeof about) == sizeof *about && happened() == 0);
    watch(EPOLL_CTL_MOD, other, EPOLLIN | EPOLLONESHOT);
    kill(getpid(), SIGUSR2);
    assert(happened() == 200 + other);
    kill(getpid(), SIGUSR1);
    assert(happened() == 100 + fd);
    assert(close(fd) == 0 && happened() == 0 && read(other, about, sizeof about) == sizeof about);
}

int main(void) {
    sigemptyset(&all), sigemptyset(&one);
    sigaddset(&all, SIGUSR1), sigaddset(&all, SIGUSR2), sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &all, NULL);
    fd = signalfd(-1, &all, SFD_NONBLOCK), other = signalfd(-1, &one, SFD_NONBLOCK);
    polls();
    epolls();
    return 0;
}
