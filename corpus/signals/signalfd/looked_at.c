// A signalfd in a call that looks at several descriptors.
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, 0);
#ifdef EPOLL
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, fd, &event);
#else
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0);
#endif
}
