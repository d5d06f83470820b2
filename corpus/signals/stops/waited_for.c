// Main blocks SIGTSTP and waits for it, so that it does not stop the process; with WRONG nobody sends it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_t waiter;

static void *work(void *argument) {
#ifndef WRONG
    pthread_kill(waiter, SIGTSTP);
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    int number;
    waiter = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    sigwait(&set, &number); // BUG: deadlock
    assert(number == SIGTSTP);
    pthread_join(thread, 0);
    return 0;
}
