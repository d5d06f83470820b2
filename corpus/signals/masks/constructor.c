// A constructor has blocked the signal, for main and for all threads: one of them waits for it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

__attribute__((constructor)) static void block(void) {
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
}

static void *thread(void *arg) {
    int number = 0;
    assert(sigwait(&set, &number) == 0 && number == SIGUSR1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
