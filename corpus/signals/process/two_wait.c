// Two threads wait for a signal of the process, which one of them gets; that one sends it again.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int taken;

static void *thread(void *arg) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number); // BUG: deadlock
#ifndef WRONG
    if (atomic_fetch_add(&taken, 1) == 0) {
        kill(getpid(), SIGUSR1);
    }
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    kill(getpid(), SIGUSR1);
#ifdef WRONG
    pthread_detach(b);
    pthread_join(a, 0);
#else
    pthread_join(a, 0);
    pthread_join(b, 0);
#endif
    return 0; // BUG: missing-pthread-exit
}
