// Two signals with values are sent to a thread. Real-time signals are queued: the thread takes both, in their order. Of others
// (SIGNAL) the second one is lost if it is sent while the first is pending, and the thread waits in vain.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#ifndef SIGNAL
#define SIGNAL SIGRTMIN
#endif

static void *thread(void *arg) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    for (int i = 1; i <= 2; i++) {
        siginfo_t info;
        int number = sigwaitinfo(&set, &info); // BUG: deadlock
        assert(number == SIGNAL && info.si_signo == SIGNAL && info.si_value.sival_int == i);
        assert(info.si_code == SI_QUEUE && info.si_pid == getpid());
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    for (int i = 1; i <= 2; i++) {
#ifdef TO_PROCESS
        sigqueue(getpid(), SIGNAL, (union sigval){.sival_int = i});
#else
        pthread_sigqueue(t, SIGNAL, (union sigval){.sival_int = i});
#endif
    }
    pthread_join(t, 0);
    return 0;
}
