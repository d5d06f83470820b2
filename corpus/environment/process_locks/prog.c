// Locks of files that belong to the process: within it none is in the way of another one, whichever thread asks.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int reads, writes, both;

static int ask(int file, int command, short type, off_t start, off_t len) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
    int result = fcntl(file, command, &lock);
    return result == 0 && command == F_GETLK ? lock.l_type : result;
}

static void *thread(void *arg) {
#if defined(UNPROTECTED)
    // The lock of another descriptor of the file protects from other processes only.
    int file = open("file", O_RDWR);
    assert(lockf(file, F_LOCK, 0) == 0);
    ++*(int *)arg; // BUG: data-race(one)
    assert(lockf(file, F_ULOCK, 0) == 0);
#elif defined(ASKS)
    assert(ask(both, F_GETLK, F_WRLCK, 0, 0) == F_UNLCK);
#endif
    return arg;
}

static void check(void) {
    assert(ask(reads, F_SETLK, F_RDLCK, 0, 4) == 0 && ask(reads, F_SETLK, F_WRLCK, 0, 4) == -1 && errno == EBADF);
    assert(ask(writes, F_SETLKW, F_WRLCK, 0, 4) == 0 && ask(writes, F_SETLK, F_RDLCK, 0, 4) == -1 && errno == EBADF);
    assert(ask(both, F_SETLK, 7, 0, 4) == -1 && errno == EINVAL);
    assert(ask(both, F_GETLK, F_UNLCK, 0, 4) == -1 && errno == EINVAL);
    assert(ask(both, F_SETLK, F_WRLCK, -1, 4) == -1 && errno == EINVAL);
    assert(ask(both, F_SETLK, F_WRLCK, 2, -4) == -1 && errno == EINVAL);
    assert(ask(both, F_SETLK, F_WRLCK, 4, -2) == 0 && ask(both, F_SETLK, F_UNLCK, 0, 0) == 0);
    assert(ask(77, F_SETLK, F_WRLCK, 0, 0) == -1 && errno == EBADF);
    assert(lockf(both, F_TEST, 0) == 0 && lockf(both, F_TLOCK, 3) == 0 && lockf(both, F_ULOCK, 0) == 0);
    assert(lockf(reads, F_LOCK, 0) == -1 && errno == EBADF && lockf(both, 9, 0) == -1 && errno == EINVAL);
}

int main(void) {
    pthread_t other;
    int count = 0;
    reads = open("file", O_RDONLY), writes = open("file", O_WRONLY), both = open("file", O_RDWR);
    check();
    pthread_create(&other, NULL, thread, &count);
#if defined(UNPROTECTED)
    assert(lockf(both, F_LOCK, 0) == 0);
    ++count; // BUG: data-race(other)
    assert(lockf(both, F_ULOCK, 0) == 0);
#elif defined(ASKS)
    assert(ask(both, F_SETLK, F_WRLCK, 0, 0) == 0);
#elif defined(OF_DESCRIPTION)
    ask(both, F_OFD_SETLK, F_WRLCK, 0, 0);
#endif
    pthread_join(other, NULL);
    return 0;
}
