// A new thread blocks what its creator blocks, and has nothing pending.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static void *thread(void *arg) {
    sigset_t set, pending;
    pthread_sigmask(SIG_BLOCK, 0, &set);
    assert(sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2));
    sigpending(&pending);
    assert(!sigismember(&pending, SIGUSR1));
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
