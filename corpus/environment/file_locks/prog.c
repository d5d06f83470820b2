// Locks of files that belong to open descriptions (flock): who has one, who waits, and what ends it.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#ifndef FIRST
#define FIRST LOCK_EX
#define SECOND LOCK_EX
#endif

static int count, other_file;
static int own[2];

static void add(int descriptor, int how) {
    assert(flock(descriptor, how) == 0); // BUG: deadlock(left)
    int before = count; // BUG: data-race(read)
    count = before + 1; // BUG: data-race(write)
    assert(flock(descriptor, LOCK_UN) == 0);
}

static void *thread(void *arg) {
#if defined(EXCLUDES)
    add(own[1], SECOND);
#elif defined(SHARES)
    assert(flock(own[1], LOCK_SH | LOCK_NB) == 0);
#elif defined(ONE_DESCRIPTION)
    add(own[0], LOCK_EX);
#elif defined(ATTEMPTS)
    int got = flock(own[1], LOCK_EX | LOCK_NB);
#ifdef WRONG
    assert(got == 0); // BUG: assertion(refused)
#endif
    assert(got == 0 || errno == EWOULDBLOCK);
    if (got == 0)
        assert(flock(own[1], LOCK_UN) == 0);
#elif defined(CYCLE)
    assert(flock(own[1], LOCK_EX) == 0); // BUG: deadlock(cycle)
    assert(flock(other_file, LOCK_EX) == 0);
#elif defined(UPGRADES)
    assert(flock(own[1], LOCK_SH) == 0);
    assert(flock(own[1], LOCK_EX) == 0);
    assert(flock(own[1], LOCK_UN) == 0);
#elif defined(CLOSES) || defined(LEFT)
    add(own[1], LOCK_EX);
#endif
    return arg;
}

static void check(void) {
    int folder = open(".", O_RDONLY | O_DIRECTORY), copy = dup(own[0]);
    assert(flock(own[0], 3) == -1 && errno == EINVAL && flock(77, LOCK_SH) == -1 && errno == EBADF);
    assert(flock(folder, LOCK_EX) == 0);
    assert(flock(own[0], LOCK_SH) == 0 && flock(own[1], LOCK_SH) == 0);
    // Not while the other one has it; what it had is lost.
    assert(flock(own[0], LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    assert(flock(own[1], LOCK_EX | LOCK_NB) == 0 && flock(own[0], LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    assert(flock(own[1], LOCK_UN) == 0 && flock(own[1], LOCK_UN) == 0);
    // A duplicate has the same lock, and gives it back.
    assert(flock(copy, LOCK_EX) == 0 && flock(own[0], LOCK_EX | LOCK_NB) == 0 && flock(own[0], LOCK_UN) == 0);
    assert(flock(own[1], LOCK_EX | LOCK_NB) == 0 && flock(own[1], LOCK_UN) == 0);
    // It is kept until the last descriptor is closed.
    int third = open("file", O_RDWR), fourth = dup(third);
    assert(flock(third, LOCK_EX) == 0 && close(third) == 0);
    assert(flock(own[0], LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    assert(dup2(folder, fourth) == fourth && flock(own[0], LOCK_EX | LOCK_NB) == 0 && flock(own[0], LOCK_UN) == 0);
    close(copy);
}

int main(void) {
    pthread_t other;
    own[0] = open("file", O_RDWR), own[1] = open("file", O_RDONLY), other_file = open("other", O_RDWR | O_CREAT, 0600);
    // Makes the lock, which nobody has.
    assert(flock(own[0], LOCK_UN) == 0);
#ifdef CHECKS
    check();
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined(EXCLUDES)
    add(own[0], FIRST);
#elif defined(SHARES)
    assert(flock(own[0], LOCK_SH | LOCK_NB) == 0);
#elif defined(ONE_DESCRIPTION)
    add(own[0], LOCK_EX);
#elif defined(ATTEMPTS)
    assert(flock(own[0], LOCK_EX) == 0);
    assert(flock(own[0], LOCK_UN) == 0);
#elif defined(CYCLE)
    int second = open("other", O_RDWR);
    assert(flock(second, LOCK_EX) == 0);
    assert(flock(own[0], LOCK_EX) == 0);
#elif defined(UPGRADES)
    assert(flock(own[0], LOCK_SH) == 0);
    assert(flock(own[0], LOCK_EX) == 0);
    assert(flock(own[0], LOCK_UN) == 0);
#elif defined(CLOSES)
    assert(flock(own[0], LOCK_EX) == 0);
    count++;
    close(own[0]);
#elif defined(LEFT)
    assert(flock(own[0], LOCK_EX) == 0);
    count++;
#elif defined(OUTPUT)
    flock(1, LOCK_EX);
#endif
    pthread_join(other, NULL);
    (void)check, (void)add;
#if defined(EXCLUDES) || defined(CLOSES)
    assert(count == 2);
#endif
    return 0;
}
