// A wait with a time limit: the signal comes before it or not in time.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <errno.h>


static void *thread(void *arg) {
    sigset_t set;
    struct timespec limit = {.tv_sec = 1};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int number = sigtimedwait(&set, 0, &limit);
    assert(number == SIGUSR1 || number == -1 && errno == EAGAIN);
#ifdef WRONG
    assert(number == SIGUSR1); // BUG: assertion
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
