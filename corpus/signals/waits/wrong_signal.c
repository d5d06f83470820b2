// Nobody sends the signal for which the thread waits, and main waits for its end.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static void *thread(void *arg) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR2);
    pthread_join(t, 0);
    return 0;
}
