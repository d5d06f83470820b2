// The thread unblocks the signal between two stores: its handler runs there or after both, or not at all.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int x;

static void handler(int number) {
    (void)number;
#ifdef WRONG
    assert(atomic_load(&x) == 1); // BUG: assertion
#else
    assert(atomic_load(&x) >= 1);
#endif
}

static void *thread(void *arg) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    atomic_store(&x, 1);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    atomic_store(&x, 2);
    atomic_store(&x, 3);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
