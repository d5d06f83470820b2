// A thread watches a descriptor with a pointer to what belongs to it, which another thread follows. What was written
// before epoll_ctl is there for who takes the event.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct owner {
    int fd, ready;
};

static int instance;

static void *waiter(void *arg) {
    struct epoll_event found;
    assert(epoll_wait(instance, &found, 1, -1) == 1);
    struct owner *owner = found.data.ptr;
#ifdef LATE
    assert(owner->ready == 0 || owner->ready == 1); // BUG: data-race(ready)
#else
    assert(owner->ready == 1);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    int fd = eventfd(1, 0);
    instance = epoll_create1(0);
    pthread_create(&thread, NULL, waiter, NULL);
    struct owner *owner = calloc(1, sizeof *owner);
    owner->fd = fd;
    struct epoll_event event = {EPOLLIN, {.ptr = owner}};
#ifdef LATE
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, owner->fd, &event) == 0);
    owner->ready = 1; // BUG: data-race(ready)
#else
    owner->ready = 1;
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, owner->fd, &event) == 0);
#endif
    pthread_join(thread, NULL);
    free(owner);
    return 0;
}
