// A thread that waits for signals for good; main returns without it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static void *thread(void *arg) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigwait(&set, &number);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_detach(t);
    return 0; // BUG: missing-pthread-exit
}
