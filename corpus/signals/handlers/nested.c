// What a handler with information is told, and that it is not interrupted by the signals of its mask.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int inside, x;

static void other(int number) {
    assert(number == SIGUSR2 && inside == 0); // BUG: assertion
}

static void handler(int number, siginfo_t *information, void *context) {
    assert(number == SIGUSR1 && information->si_signo == SIGUSR1 && context);
    atomic_store(&inside, 1);
    atomic_store(&inside, 0);
}

static void *thread(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    struct sigaction simple = {.sa_handler = other};
#ifdef MASKED
    sigaddset(&action.sa_mask, SIGUSR2);
#endif
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGUSR2, &simple, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_kill(t, SIGUSR2);
    pthread_join(t, 0);
    return 0;
}
