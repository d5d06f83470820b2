// Main no longer watches a descriptor and frees what belongs to it, while a worker may have taken its event before.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int instance;

static void *worker(void *arg) {
    struct epoll_event found;
    if (epoll_wait(instance, &found, 1, 0) == 1) {
        int *owned = found.data.ptr;
        assert(*owned == 1); // BUG: data-race(owned)
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    int fd = eventfd(1, 0);
    instance = epoll_create1(0);
    int *owned = malloc(sizeof *owned);
    *owned = 1;
    struct epoll_event event = {EPOLLIN, {.ptr = owned}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    assert(epoll_ctl(instance, EPOLL_CTL_DEL, fd, NULL) == 0);
#ifdef RIGHT
    pthread_join(thread, NULL);
    free(owned);
#else
    free(owned); // BUG: data-race(owned)
    pthread_join(thread, NULL);
#endif
    return 0;
}
