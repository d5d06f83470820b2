// A thread begins with the signals blocked that its attributes say, whatever its creator blocks, and takes one by sigwait. WRONG == 1:
// the attributes say nothing, and the signal ends the process.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *waits(void *arg) {
    sigset_t set, own;
    int number = 0;
    pthread_sigmask(SIG_BLOCK, 0, &own);
    assert(sigismember(&own, SIGUSR1) == !WRONG);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigwait(&set, &number) == 0 && number == SIGUSR1); // BUG: crash
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t set, own;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_attr_init(&attributes);
#if !WRONG
    pthread_attr_setsigmask_np(&attributes, &set);
#endif
    pthread_create(&thread, &attributes, waits, 0); // BUG: crash
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    pthread_sigmask(SIG_BLOCK, 0, &own);
    assert(!sigismember(&own, SIGUSR1));
    pthread_attr_destroy(&attributes);
    return 0;
}
