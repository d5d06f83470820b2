// What a thread sends itself or its process, and in which order it takes it: what was sent to the thread first, the lowest
// number first, of one number the one that was sent first. And errors. One thread. Measured on Linux 6.18.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void take(int number, int code, int value) {
    siginfo_t info;
    assert(sigwaitinfo(&set, &info) == number && info.si_code == code);
    assert(code != SI_QUEUE || info.si_value.sival_int == value);
}

static union sigval of(int value) {
    return (union sigval){.sival_int = value};
}

int main(void) {
    static const struct timespec none = {0, 0};
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    sigqueue(getpid(), SIGRTMIN + 2, of(1));
    pthread_sigqueue(pthread_self(), SIGRTMIN + 3, of(2));
    sigqueue(getpid(), SIGRTMIN + 1, of(3));
    sigqueue(getpid(), SIGRTMIN + 2, of(4));
    kill(getpid(), SIGRTMIN + 2);
    pthread_sigqueue(pthread_self(), SIGUSR1, of(5));
    pthread_sigqueue(pthread_self(), SIGUSR1, of(6));
    pthread_kill(pthread_self(), SIGRTMIN + 3);
    take(SIGUSR1, SI_QUEUE, 5);
    take(SIGRTMIN + 3, SI_QUEUE, 2);
    take(SIGRTMIN + 3, SI_USER, 0); // by the C library; the kernel says SI_TKILL
    take(SIGRTMIN + 1, SI_QUEUE, 3);
    take(SIGRTMIN + 2, SI_QUEUE, 1);
    take(SIGRTMIN + 2, SI_QUEUE, 4);
    take(SIGRTMIN + 2, SI_USER, 0);
    assert(sigtimedwait(&set, 0, &none) == -1 && errno == EAGAIN);

    assert(sigqueue(getpid(), 65, of(1)) == -1 && errno == EINVAL);
    assert(sigqueue(0, SIGUSR1, of(1)) == -1 && errno == ESRCH);
    assert(sigqueue(getpid(), 0, of(1)) == 0);
    assert(pthread_sigqueue(pthread_self(), 65, of(1)) == EINVAL);
    assert(pthread_sigqueue(pthread_self(), 33, of(1)) == EINVAL);
    assert(pthread_sigqueue(pthread_self(), 0, of(1)) == 0);
    assert(sigtimedwait(&set, 0, &none) == -1 && errno == EAGAIN);
    return 0;
}
