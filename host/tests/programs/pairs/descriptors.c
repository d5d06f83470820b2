/* Descriptors: numbers, flags and positions, in a program that makes several descriptors of one file. */
#include "headers.h"

static int ends[2], counter, file;
static char bytes[9];

static void begin(void) {
    pipe2(ends, O_NONBLOCK);
    counter = eventfd(0, EFD_NONBLOCK);
    file = open("a", O_RDWR);
}

static long end(void) {
    long sum = 0;
    for (int number = 3; number < 12; number++)
        sum = sum * 7 + (fcntl(number, F_GETFD) + 1) * 2 + !!(fcntl(number, F_GETFL) & O_NONBLOCK);
    return sum * 100 + lseek(file, 0, SEEK_CUR);
}

static int status_of(int number) {
    struct stat status;
    return fstat(number, &status) ? -1 : status.st_mode & S_IFMT;
}

static int unread(int number) {
    int count = -1;
    return ioctl(number, FIONREAD, &count) ? -1 : count;
}

static int made_pipe(void) {
    int made[2];
    return pipe(made) ? -1 : made[0] * 100 + made[1];
}

static int polled(int number) {
    struct pollfd entry = {number, POLLIN, 0};
    return poll(&entry, 1, 0) * 1000 + entry.revents;
}

#define CALLS(CALL) \
    CALL(fcntl(ends[0], F_GETFD)) \
    CALL(fcntl(ends[0], F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(ends[0], F_GETFL)) \
    CALL(fcntl(ends[0], F_SETFL, 0)) \
    CALL(fcntl(ends[0], F_DUPFD, 9)) \
    CALL(fcntl(ends[0], F_DUPFD_CLOEXEC, 3)) \
    CALL(fcntl(counter, F_GETFD)) \
    CALL(fcntl(counter, F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(counter, F_GETFL)) \
    CALL(fcntl(counter, F_SETFL, 0)) \
    CALL(fcntl(file, F_GETFD)) \
    CALL(fcntl(file, F_SETFD, FD_CLOEXEC)) \
    CALL(fcntl(file, F_GETFL)) \
    CALL(fcntl(file, F_SETFL, O_APPEND)) \
    CALL(dup(ends[0])) \
    CALL(dup(file)) \
    CALL(dup2(ends[1], ends[0])) \
    CALL(dup2(file, counter)) \
    CALL(dup2(ends[0], file)) \
    CALL(dup2(file, 11)) \
    CALL(dup2(counter, 10)) \
    CALL(dup3(file, ends[0], O_CLOEXEC)) \
    CALL(close(ends[0])) \
    CALL(close(ends[1])) \
    CALL(close(counter)) \
    CALL(close(file)) \
    CALL(lseek(file, 2, SEEK_SET)) \
    CALL(lseek(file, 0, SEEK_CUR)) \
    CALL(lseek(ends[0], 0, SEEK_CUR)) \
    CALL(read(file, bytes, 2)) \
    CALL(read(ends[0], bytes, 1)) \
    CALL(read(counter, bytes, 8)) \
    CALL(write(ends[1], "ab", 2)) \
    CALL(write(file, "ab", 2)) \
    CALL(eventfd_write(counter, 3)) \
    CALL(status_of(ends[0])) \
    CALL(status_of(counter)) \
    CALL(status_of(file)) \
    CALL(unread(ends[0])) \
    CALL(polled(ends[0])) \
    CALL(polled(counter)) \
    CALL(isatty(file)) \
    CALL(open("b", O_RDONLY | O_CLOEXEC)) \
    CALL(eventfd(0, 0)) \
    CALL(epoll_create1(0)) \
    CALL(timerfd_create(CLOCK_MONOTONIC, 0)) \
    CALL(socket(AF_UNIX, SOCK_STREAM, 0)) \
    CALL(made_pipe()) \
    CALL(ioctl(ends[0], FIOCLEX)) \
    CALL(ioctl(file, FIOCLEX)) \
    CALL(ioctl(ends[0], FIONBIO, &(int){0})) \
    CALL(fsync(file)) \
    CALL(fcntl(ends[0], F_GETPIPE_SZ))

#include "driver.h"
