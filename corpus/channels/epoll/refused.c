// What is not modelled of epoll.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void) {
    int instance = epoll_create1(0), other = epoll_create1(0), fd = eventfd(0, 0);
    struct epoll_event event = {EPOLLIN, {.fd = fd}};
    struct pollfd polled = {instance, POLLIN, 0};
    sigset_t mask;
    sigemptyset(&mask);
    switch (CASE) {
    case 0: event.events |= EPOLLEXCLUSIVE; break;
    case 1: event.events |= EPOLLMSG; break;
    case 2: fd = other; break;
    case 3: fd = STDOUT_FILENO; break;
    case 4: return poll(&polled, 1, 0);
    case 5: return epoll_pwait(instance, &event, 1, 0, &mask);
    case 6: return epoll_pwait2(instance, &event, 1, NULL, &mask);
    }
    return epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event);
}
