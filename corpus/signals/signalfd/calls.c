// What the calls of signalfd return, and what is read, with the errors of Linux. One thread.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

static sigset_t all, one, queued;

static void errors(int fd, int end) {
    struct signalfd_siginfo about;
    struct iovec none = {NULL, 0};
    int count;
    FAILS(signalfd(-1, &all, 1), EINVAL);
    FAILS(signalfd(500, &all, 0), EBADF);
    FAILS(signalfd(-2, &all, 0), EBADF);
    FAILS(signalfd(end, &all, 0), EINVAL);
    FAILS(signalfd(fd, &all, 1), EINVAL);
    FAILS(read(fd, &about, sizeof about - 1), EINVAL);
    FAILS(read(fd, &about, 0), EINVAL);
    FAILS(read(fd, &about, sizeof about), EAGAIN);
    FAILS(write(fd, &about, sizeof about), EINVAL);
    FAILS(ioctl(fd, FIONREAD, &count), ENOTTY);
    assert(readv(fd, &none, 1) == 0);
    assert(fcntl(fd, F_GETFD) == FD_CLOEXEC && (fcntl(fd, F_GETFL) & O_NONBLOCK));
}

// Signals of which only the number is known, and who has sent them.
static void numbers(int fd) {
    struct signalfd_siginfo about[3];
    assert(kill(getpid(), SIGUSR2) == 0 && kill(getpid(), SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
    assert(read(fd, about, 2 * sizeof *about + 5) == 2 * sizeof *about);
    assert(about[0].ssi_signo == SIGUSR1 && about[1].ssi_signo == SIGUSR2);
    assert(about[0].ssi_code == SI_USER && about[0].ssi_pid == (unsigned)getpid() && about[0].ssi_errno == 0);
    FAILS(read(fd, about, sizeof about), EAGAIN);
    assert(raise(SIGUSR1) == 0 && read(fd, about, sizeof about) == sizeof *about);
    assert(about[0].ssi_signo == SIGUSR1 && about[0].ssi_code == SI_TKILL && about[0].ssi_pid == (unsigned)getpid());
    // What is pending for the thread goes first.
    assert(kill(getpid(), SIGUSR1) == 0 && raise(SIGUSR2) == 0);
    assert(read(fd, about, sizeof about) == 2 * sizeof *about);
    assert(about[0].ssi_signo == SIGUSR2 && about[1].ssi_signo == SIGUSR1);
}

// Signals that are queued, with their values.
static void values(int fd) {
    struct signalfd_siginfo about[3];
    union sigval value = {.sival_ptr = (void *)0x123456789abc};
    assert(sigqueue(getpid(), SIGRTMIN, value) == 0);
    value.sival_int = -7;
    assert(sigqueue(getpid(), SIGRTMIN, value) == 0);
    assert(read(fd, about, sizeof about) == 2 * sizeof *about);
    assert(about[0].ssi_signo == (unsigned)SIGRTMIN && about[0].ssi_code == SI_QUEUE);
    assert(about[0].ssi_ptr == 0x123456789abc && about[0].ssi_int == 0x56789abc && about[1].ssi_int == -7);
}

// Several descriptors, and a change of what one of them takes.
static void several(int fd) {
    struct signalfd_siginfo about[2];
    int other = signalfd(-1, &one, SFD_NONBLOCK), again = dup(fd);
    assert(other >= 0 && kill(getpid(), SIGUSR2) == 0);
    FAILS(read(other, about, sizeof about), EAGAIN);
    assert(kill(getpid(), SIGUSR1) == 0);
    assert(read(other, about, sizeof about) == sizeof *about && about[0].ssi_signo == SIGUSR1);
    assert(signalfd(fd, &one, 0) == fd);
    FAILS(read(again, about, sizeof about), EAGAIN);
    assert(signalfd(again, &all, 0) == again);
    assert(read(fd, about, sizeof about) == sizeof *about && about[0].ssi_signo == SIGUSR2);
    assert(close(other) == 0 && close(fd) == 0 && signalfd(again, &one, 0) == again && close(again) == 0);
    FAILS(read(fd, about, sizeof about), EBADF);
}

int main(void) {
    int ends[2];
    sigemptyset(&all), sigemptyset(&one), sigemptyset(&queued);
    sigaddset(&all, SIGUSR1), sigaddset(&all, SIGUSR2), sigaddset(&one, SIGUSR1), sigaddset(&queued, SIGRTMIN);
    sigaddset(&all, SIGKILL);
    assert(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &queued, NULL) == 0);
    int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    assert(fd >= 0 && pipe(ends) == 0);
    errors(fd, ends[0]);
    numbers(fd);
    int real_time = signalfd(-1, &queued, SFD_NONBLOCK);
    values(real_time);
    several(fd);
    return 0;
}
