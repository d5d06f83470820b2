// A poll of a signalfd beside what is not modelled with it.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t set;

static void *thread(void *arg) {
#ifdef SIGWAIT
    int number;
    sigwait(&set, &number);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct pollfd one = {.fd = signalfd(-1, &set, 0), .events = POLLIN};
    pthread_create(&t, NULL, thread, NULL);
    poll(&one, 1, 0);
#if defined(TO_THREAD)
    pthread_kill(t, SIGUSR1);
#elif defined(OWN)
    struct epoll_event event = {.events = EPOLLIN};
    raise(SIGUSR1);
    epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, one.fd, &event);
#else
    kill(getpid(), SIGUSR1);
#endif
    pthread_join(t, NULL);
    return 0;
}
