// A thread waits for a signal that main sends, and sees what main wrote before.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static int message;

static void *thread(void *arg) {
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigwait(&set, &number) == 0 && number == SIGUSR1);
    assert(message == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    message = 1;
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
