// Requests to devices that concern any descriptor: whether calls wait, and how much there is to read.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ends[2];
static int yes = 1, no;

static void *thread(void *arg) {
#if defined(WAITS)
    char byte;
    assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN); // BUG: deadlock
#elif defined(RACES)
    yes = 2; // BUG: data-race(write)
#endif
    return arg;
}

static void check(void) {
    int count = -1, file = open("file", O_RDWR);
    assert(ioctl(file, FIONREAD, &count) == 0 && count == 6);
    assert(lseek(file, 4, SEEK_SET) == 4 && ioctl(file, FIONREAD, &count) == 0 && count == 2);
    assert(write(ends[1], "abc", 3) == 3 && ioctl(ends[0], FIONREAD, &count) == 0 && count == 3);
    assert(ioctl(ends[0], FIONBIO, &yes) == 0 && (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    assert((fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0);
    assert(ioctl(ends[0], FIONBIO, &no) == 0 && (fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
    assert(ioctl(file, FIOCLEX) == 0 && fcntl(file, F_GETFD) == FD_CLOEXEC);
    assert(ioctl(file, FIONCLEX) == 0 && fcntl(file, F_GETFD) == 0);
    assert(ioctl(77, FIONBIO, &yes) == -1 && errno == EBADF);
}

int main(void) {
    pthread_t other;
    pipe(ends);
#ifdef CHECKS
    check();
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined(WAITS) || defined(RACES)
    ioctl(ends[0], FIONBIO, &yes); // BUG: data-race(read)
#endif
    pthread_join(other, NULL);
    (void)check, (void)no;
    return 0;
}
