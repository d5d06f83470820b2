// A signal that is sent twice before it was taken is there once; another one is there beside it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int count[2];

static void handler(int number) {
    atomic_fetch_add(&count[number == SIGUSR2], 1);
}

int main(void) {
    sigset_t set, before, pending;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGUSR2, &action, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR2);
    raise(SIGUSR1);
    assert(count[0] == 0 && count[1] == 0);
    sigpending(&pending);
    assert(sigismember(&pending, SIGUSR1) && sigismember(&pending, SIGUSR2) && !sigismember(&pending, SIGHUP));
    pthread_sigmask(SIG_SETMASK, &before, 0);
    assert(count[0] == 1 && count[1] == 1);
    sigpending(&pending);
    assert(!sigismember(&pending, SIGUSR1));
    return 0;
}
