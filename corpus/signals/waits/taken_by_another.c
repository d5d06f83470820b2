// A signal of the process wakes a thread in sigwaitinfo, and another thread takes it first: Linux lets the call fail.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *waits(void *argument) {
    int signal = sigwaitinfo(&set, 0);
    assert(signal == SIGUSR1);
    return argument;
}

static void *takes(void *argument) {
    const struct timespec now = {0, 0};
    if (sigtimedwait(&set, 0, &now) == SIGUSR1)
        kill(getpid(), SIGUSR1);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, takes, 0);
    kill(getpid(), SIGUSR1);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
