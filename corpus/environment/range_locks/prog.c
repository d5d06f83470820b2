// Locks of ranges of files that belong to open descriptions (F_OFD_SETLK): who has one, who waits, and what ends it.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#ifndef FIRST
#define FIRST F_WRLCK
#define SECOND F_WRLCK
#endif
#ifndef THIRD
#define THIRD 0
#endif

static int count, other_file;
static int own[2];

static int lock(int descriptor, int command, short type, off_t start, off_t len) {
    struct flock asked = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
    return fcntl(descriptor, command, &asked); // BUG: deadlock
}

static void add(int descriptor, short type, off_t start, off_t len) {
    assert(lock(descriptor, F_OFD_SETLKW, type, start, len) == 0);
    int before = count; // BUG: data-race(read)
    count = before + 1; // BUG: data-race(write)
    assert(lock(descriptor, F_OFD_SETLK, F_UNLCK, start, len) == 0);
}

static void *thread(void *arg) {
#if defined(EXCLUDES)
    add(own[1], SECOND, THIRD, 4);
#elif defined(ONE_DESCRIPTION)
    add(own[0], F_WRLCK, 0, 4);
#elif defined(ATTEMPTS)
    int got = lock(own[1], F_OFD_SETLK, F_WRLCK, 0, 4);
#ifdef WRONG
    assert(got == 0); // BUG: assertion(refused)
#endif
    assert(got == 0 || errno == EAGAIN);
    if (got == 0)
        assert(lock(own[1], F_OFD_SETLK, F_UNLCK, 0, 4) == 0);
#elif defined(CYCLE)
    assert(lock(own[1], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    assert(lock(other_file, F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
#elif defined(UPGRADES)
    assert(lock(own[1], F_OFD_SETLKW, F_RDLCK, 0, 4) == 0);
    assert(lock(own[1], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    assert(lock(own[1], F_OFD_SETLK, F_UNLCK, 0, 4) == 0);
#elif defined(CLOSES) || defined(LEFT)
    add(own[1], F_WRLCK, 0, 4);
#endif
    return arg;
}

static void refused(void) {
    int reads = open("file", O_RDONLY), writes = open("file", O_WRONLY);
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 4, .l_pid = 1};
    assert(fcntl(own[0], F_OFD_SETLK, &asked) == -1 && errno == EINVAL);
    assert(fcntl(own[0], F_OFD_GETLK, &asked) == -1 && errno == EINVAL);
    assert(lock(own[0], F_OFD_SETLK, 7, 0, 4) == -1 && errno == EINVAL);
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, -1, 4) == -1 && errno == EINVAL);
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, 2, -4) == -1 && errno == EINVAL);
    assert(lock(reads, F_OFD_SETLK, F_WRLCK, 0, 4) == -1 && errno == EBADF);
    assert(lock(writes, F_OFD_SETLKW, F_RDLCK, 0, 4) == -1 && errno == EBADF);
    assert(lock(77, F_OFD_SETLK, F_RDLCK, 0, 4) == -1 && errno == EBADF);
    close(reads), close(writes);
}

static void look(int descriptor, off_t start, off_t len, short type, off_t found, off_t length) {
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
    assert(fcntl(descriptor, F_OFD_GETLK, &asked) == 0 && asked.l_type == type);
    assert(type == F_UNLCK || (asked.l_start == found && asked.l_len == length && asked.l_pid == -1));
}

static void check(void) {
    int copy = dup(own[0]);
    refused();
    // Descriptions are in each other's way, duplicates are not.
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, 0, 10) == 0 && lock(copy, F_OFD_SETLK, F_WRLCK, 0, 10) == 0);
    assert(lock(own[1], F_OFD_SETLK, F_RDLCK, 9, 1) == -1 && errno == EAGAIN);
    assert(lock(own[1], F_OFD_SETLK, F_RDLCK, 10, 0) == 0);
    look(own[1], 0, 0, F_WRLCK, 0, 10), look(own[0], 0, 0, F_RDLCK, 10, 0), look(own[0], 0, 10, F_UNLCK, 0, 0);
    // A part of a lock is given back, and another part becomes one that others may share.
    assert(lock(copy, F_OFD_SETLK, F_UNLCK, 4, 2) == 0 && lock(own[0], F_OFD_SETLK, F_RDLCK, 8, 2) == 0);
    look(own[1], 0, 5, F_WRLCK, 0, 4), look(own[1], 4, 2, F_UNLCK, 0, 0), look(own[1], 6, 2, F_WRLCK, 6, 2);
    look(own[1], 8, 2, F_RDLCK, 8, 2);
    assert(lock(own[1], F_OFD_SETLK, F_RDLCK, 8, 2) == 0);
    // What is asked for in vain leaves what there is.
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, 8, 2) == -1 && errno == EAGAIN);
    look(own[1], 8, 2, F_RDLCK, 8, 2);
    // Those of one kind that touch become one.
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, 4, 2) == 0);
    look(own[1], 7, 1, F_WRLCK, 0, 8);
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, 0, 0) == 0 && lock(own[1], F_OFD_SETLK, F_UNLCK, 0, 0) == 0);
    // It is kept until the last descriptor is closed.
    int third = open("file", O_RDWR), fourth = dup(third);
    assert(lock(third, F_OFD_SETLK, F_WRLCK, 0, 4) == 0 && lock(third, F_OFD_SETLK, F_RDLCK, 20, 4) == 0);
    assert(close(third) == 0 && lock(own[0], F_OFD_SETLK, F_RDLCK, 0, 4) == -1 && errno == EAGAIN);
    assert(close(fourth) == 0 && lock(own[0], F_OFD_SETLK, F_WRLCK, 0, 30) == 0);
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, 0, 0) == 0);
    close(copy);
}

int main(void) {
    pthread_t other;
    own[0] = open("file", O_RDWR), own[1] = open("file", O_RDWR), other_file = open("other", O_RDWR | O_CREAT, 0600);
#ifdef CHECKS
    check();
    return 0;
#endif
    // Makes the lock, which nobody has.
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, 0, 4) == 0);
#if defined(EXCLUDES)
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, THIRD, 4) == 0);
#elif defined(OF_PROCESS)
    lock(own[0], F_SETLK, F_WRLCK, 0, 4);
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined(EXCLUDES)
    add(own[0], FIRST, 0, 4);
#elif defined(ONE_DESCRIPTION)
    add(own[0], F_WRLCK, 0, 4);
#elif defined(ATTEMPTS)
    assert(lock(own[0], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, 0, 4) == 0);
#elif defined(CYCLE)
    int second = open("other", O_RDWR);
    assert(lock(second, F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    assert(lock(own[0], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
#elif defined(UPGRADES)
    assert(lock(own[0], F_OFD_SETLKW, F_RDLCK, 0, 4) == 0);
    assert(lock(own[0], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    assert(lock(own[0], F_OFD_SETLK, F_UNLCK, 0, 4) == 0);
#elif defined(CLOSES)
    assert(lock(own[0], F_OFD_SETLK, F_WRLCK, 0, 4) == 0 || errno == EAGAIN);
    close(own[0]);
#elif defined(LEFT)
    assert(lock(own[0], F_OFD_SETLKW, F_WRLCK, 0, 4) == 0);
    count++;
#elif defined(FROM_END)
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_END};
    fcntl(own[0], F_OFD_SETLK, &asked);
#endif
    pthread_join(other, NULL);
    (void)check, (void)add;
#if defined(EXCLUDES)
    assert(count == 2);
#endif
    return 0;
}
