// The signal is blocked but while the thread waits.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int stop;

static void handler(int number) {
    (void)number;
    atomic_store(&stop, 1);
}

static void *thread(void *arg) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    while (!atomic_load(&stop)) {
        sigsuspend(&before);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
