// A pending signal is discarded when it is ignored.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_t main_thread;

static void *thread(void *arg) {
    pthread_kill(main_thread, SIGUSR1);
    return arg;
}

static int is_pending(void) {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGUSR1);
}

int main(void) {
    pthread_t t;
    sigset_t set;
    main_thread = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
#ifndef BESIDE
    pthread_join(t, 0);
    assert(is_pending());
#endif
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR1, SIG_DFL);
#ifdef BESIDE
    pthread_join(t, 0);
#else
    assert(!is_pending());
#endif
    return 0;
}
