// A value is the address of what another thread has prepared. With RACES, that thread goes on writing to it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *thread(void *arg) {
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigwaitinfo(&set, &info);
    int *data = info.si_value.sival_ptr;
    *data += 1;
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    int data = 1;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_sigqueue(t, SIGRTMIN, (union sigval){.sival_ptr = &data});
#ifdef RACES
    data = 2; // BUG: data-race
#endif
    pthread_join(t, 0);
#ifndef RACES
    assert(data == 2);
#endif
    return 0;
}
