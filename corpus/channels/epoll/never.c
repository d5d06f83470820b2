// A thread waits for events of a counter, while main adds to another one, which is watched by nobody.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int instance;

static void *waiter(void *arg) {
    struct epoll_event found;
    assert(epoll_wait(instance, &found, 1, -1) == 1); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    uint64_t one = 1;
    int watched = eventfd(0, 0), other = eventfd(0, 0);
    struct epoll_event event = {EPOLLIN, {.fd = watched}};
    instance = epoll_create1(0);
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, watched, &event) == 0);
    pthread_create(&thread, NULL, waiter, NULL);
#ifdef RIGHT
    write(watched, &one, 8);
#else
    write(other, &one, 8);
#endif
    pthread_join(thread, NULL);
    return 0;
}
