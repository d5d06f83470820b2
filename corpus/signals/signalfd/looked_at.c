// An event loop with a descriptor of signals beside a pipe: it looks at both, and ends when the signal comes.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signals, ends[2], watched, message;

static void *other(void *arg) {
#ifdef PIPE
    assert(write(ends[1], "x", 1) == 1);
#endif
    message = 1;
#ifndef NOTHING
    kill(getpid(), SIGTERM);
#endif
#ifdef LATE
    message = 2; // BUG: data-race(late)
#endif
    return arg;
}

// Waits for an event: 1 if it is the signal, 0 if it is a byte.
static int event(void) {
#if defined(EPOLL)
    struct epoll_event found;
    assert(epoll_wait(watched, &found, 1, -1) == 1 && found.events == EPOLLIN); // BUG: deadlock(epoll)
    return found.data.fd == signals;
#elif defined(SELECT)
    fd_set set;
    FD_ZERO(&set);
    FD_SET(signals, &set), FD_SET(ends[0], &set);
    assert(select(16, &set, NULL, NULL, NULL) >= 1); // BUG: deadlock(select)
    return FD_ISSET(signals, &set) != 0;
#else
    struct pollfd both[2] = {{.fd = signals, .events = POLLIN | POLLOUT}, {.fd = ends[0], .events = POLLIN}};
    assert(poll(both, 2, -1) >= 1); // BUG: deadlock(poll)
    assert(both[0].revents == 0 || both[0].revents == POLLIN);
    return both[0].revents != 0;
#endif
}

#ifdef EPOLL
static void watch(int fd) {
    struct epoll_event asked = {.events = EPOLLIN, .data.fd = fd};
    assert(epoll_ctl(watched, EPOLL_CTL_ADD, fd, &asked) == 0);
}
#endif

int main(void) {
    pthread_t thread;
    sigset_t set;
    char byte;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_NONBLOCK);
    assert(pipe(ends) == 0);
#ifdef EPOLL
    watched = epoll_create1(0);
    watch(signals), watch(ends[0]);
#endif
    pthread_create(&thread, NULL, other, NULL);
    while (!event()) {
        assert(read(ends[0], &byte, 1) == 1);
    }
    struct signalfd_siginfo about;
    assert(read(signals, &about, sizeof about) == sizeof about && about.ssi_signo == SIGTERM);
    assert(message >= 1); // BUG: data-race(late)
    assert(read(signals, &about, sizeof about) == -1 && errno == EAGAIN);
    pthread_join(thread, NULL);
    return 0;
}
