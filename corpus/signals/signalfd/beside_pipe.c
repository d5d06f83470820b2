// A thread waits at a pipe while others send and read a signal, which all of them block, or not.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int ends[2], signals;

#ifdef HANDLED
static void handler(int number) { (void)number; }
#endif

static void *waits(void *arg) {
    char byte;
#ifdef HANDLED
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
    assert(read(ends[0], &byte, 1) == 1);
    return arg;
}

static void *reads(void *arg) {
    struct signalfd_siginfo about;
    assert(read(signals, &about, sizeof about) == sizeof about); // BUG: deadlock(taken)
    return arg;
}

int main(void) {
    pthread_t one, two;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, 0);
#ifdef HANDLED
    signal(SIGUSR1, handler);
#endif
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, waits, NULL);
    pthread_create(&two, NULL, reads, NULL);
    kill(getpid(), SIGUSR1);
#ifdef HANDLED
    kill(getpid(), SIGUSR1);
#endif
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
