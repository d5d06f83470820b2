// epoll_wait with a limit finds the message, or nothing.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    write(ends[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    int instance = epoll_create1(0);
    assert(pipe(ends) == 0);
    struct epoll_event event = {EPOLLIN, {.fd = ends[0]}}, found;
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    int count = epoll_wait(instance, &found, 1, 5);
#ifdef SURE
    assert(count == 1); // BUG: assertion
#else
    assert(count == 0 || count == 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
