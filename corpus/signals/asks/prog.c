/* A handler may run right before a call that asks about signals: `step` is 1 then. Only the thread itself accesses it. */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t step;

static void handler(int signal) {
    (void)signal;
    if (step == AT)
        abort(); // BUG: abort
}

static void *sender(void *unused) {
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void) {
    sigset_t signals;
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL);
    pthread_create(&thread, NULL, sender, NULL);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    step = 1;
    ASK;
    step = 2;
    pthread_join(thread, NULL);
    return 0;
}
