// A signal to the process while no other thread lives is handled before the call returns.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static int handled;

static void handler(int number) {
    handled = number;
}

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    kill(getpid(), SIGUSR1);
    assert(handled == SIGUSR1);
    handled = 0;
    raise(SIGUSR1);
    assert(handled == SIGUSR1);
    handled = 0;
    pthread_kill(pthread_self(), SIGUSR1);
    assert(handled == SIGUSR1);
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
