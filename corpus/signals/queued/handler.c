// A handler is given the value of the signal.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen;

static void handler(int number, siginfo_t *info, void *context) {
    assert(number == SIGRTMIN && info->si_code == SI_QUEUE && context != 0);
    atomic_store(&seen, info->si_value.sival_int);
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN, &action, 0);
    pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = 7});
    assert(atomic_load(&seen) == 7);
    return 0;
}
