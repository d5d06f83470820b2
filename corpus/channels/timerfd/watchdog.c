// A thread waits for an answer or for the end of a time: an event loop with a timer. Both may have come.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int answer;

static void *worker(void *arg) {
    uint64_t one = 1;
    write(answer, &one, 8);
    return arg;
}

static void watch(int instance, int fd) {
    struct epoll_event event = {EPOLLIN, {.fd = fd}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event) == 0);
}

int main(void) {
    pthread_t thread;
    struct epoll_event found[2];
    struct itimerspec time = {{0, 0}, {60, 0}};
    int instance = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    answer = eventfd(0, 0);
    watch(instance, answer);
    watch(instance, timer);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    int count = epoll_wait(instance, found, 2, -1);
    assert(count == 1 || count == 2);
#ifdef IN_TIME
    assert(found[0].data.fd == answer); // BUG: assertion
#endif
    pthread_join(thread, NULL);
    return 0;
}
