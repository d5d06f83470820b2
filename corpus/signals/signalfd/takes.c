// A thread reads a signal that main sends, and sees what main wrote before.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#ifndef SENT
#define SENT SIGUSR1
#endif

static int message, fd;

static void *thread(void *arg) {
    struct signalfd_siginfo about;
    long got = read(fd, &about, sizeof about); // BUG: deadlock
#ifdef ATTEMPT
    if (got == -1 && errno == EAGAIN) {
#ifdef SURE
        assert(0); // BUG: assertion
#endif
        return arg;
    }
#endif
    assert(got == sizeof about && about.ssi_signo == SIGUSR1);
    assert(message == 1); // BUG: data-race(late)
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifdef ATTEMPT
    fd = signalfd(-1, &set, SFD_NONBLOCK);
#else
    fd = signalfd(-1, &set, 0);
#endif
    sigaddset(&set, SIGUSR2);
#ifndef UNBLOCKED
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
    pthread_create(&t, NULL, thread, NULL);
#ifndef LATE
    message = 1;
#endif
#ifdef TO_PROCESS
    kill(getpid(), SENT); // BUG: crash
#else
    pthread_kill(t, SENT);
#endif
#ifdef LATE
    message = 1; // BUG: data-race(late)
#endif
    pthread_join(t, NULL);
    return 0;
}
