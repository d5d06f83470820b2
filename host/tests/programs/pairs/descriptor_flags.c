/* Flags of descriptors, in a program in which no number becomes another descriptor. */
#include "headers.h"

static int ends[2], pair[2], counter, timer, signals, instance, file;

static void begin(void) {
    pipe2(ends, O_NONBLOCK);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
    counter = eventfd(0, EFD_NONBLOCK);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    sigset_t set;
    sigemptyset(&set);
    signals = signalfd(-1, &set, SFD_NONBLOCK);
    instance = epoll_create1(0);
    file = open("a", O_RDONLY);
}

static long end(void) {
    return 0;
}

#define FLAGS(CALL, number) \
    CALL(fcntl(number, F_GETFD)) \
    CALL(fcntl(number, F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(number, F_GETFL)) \
    CALL(fcntl(number, F_SETFL, O_NONBLOCK | O_APPEND)) \
    CALL(close(number))
#define CALLS(CALL) \
    FLAGS(CALL, ends[0]) \
    FLAGS(CALL, pair[0]) \
    FLAGS(CALL, counter) \
    FLAGS(CALL, timer) \
    FLAGS(CALL, signals) \
    FLAGS(CALL, instance) \
    FLAGS(CALL, file) \
    CALL(fcntl(0, F_GETFD)) \
    CALL(fcntl(0, F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(1, F_GETFD)) \
    CALL(fcntl(1, F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(1, F_GETFL)) \
    CALL(fcntl(1, F_SETFL, O_NONBLOCK)) \
    CALL(fcntl(2, F_GETFD)) \
    CALL(fcntl(2, F_GETFL)) \
    CALL(fcntl(2, F_SETFL, O_APPEND)) \
    CALL(ioctl(ends[0], FIOCLEX)) \
    CALL(ioctl(ends[0], FIONBIO, &(int){0})) \
    CALL(ioctl(file, FIONBIO, &(int){1})) \
    CALL(open("b", O_RDONLY)) \
    CALL(eventfd(0, EFD_CLOEXEC))

#include "driver.h"
