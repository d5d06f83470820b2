// A signal comes to a thread that is about to wait at a barrier, or waits there. With WAITS it has blocked the signal, and takes
// it behind the barrier; else the signal ends the process.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_barrier_t barrier;
static sigset_t set;

static void *arrives(void *arg) {
    pthread_barrier_wait(&barrier); // BUG: crash
#ifdef WAITS
    int number = 0;
    assert(sigwait(&set, &number) == 0 && number == SIGUSR1);
#endif
    return arg; // BUG: crash
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifdef WAITS
    pthread_sigmask(SIG_BLOCK, &set, 0);
#endif
    pthread_create(&thread, 0, arrives, 0); // BUG: crash
    pthread_kill(thread, SIGUSR1);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
