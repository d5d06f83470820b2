// Two signals are pending when the thread unblocks them, or waits for them: their handlers begin at once, and the last one
// runs first, unless the other one blocks its signal.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static int order, first, second;
static sigset_t both, none;

static void handler(int number) {
    *(number == SIGUSR1 ? &first : &second) = ++order;
}

static void take(void) {
#ifdef SUSPENDS
    sigsuspend(&none);
#else
    pthread_sigmask(SIG_UNBLOCK, &both, 0);
#endif
#ifdef MASKED
    assert(first == 1 && second == 2);
#else
    assert(first == 2 && second == 1);
#endif
}

#ifdef SENT
static void *thread(void *arg) {
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR2);
    take();
    return arg;
}
#endif

int main(void) {
    struct sigaction action = {.sa_handler = handler}, other = {.sa_handler = handler};
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, 0);
#ifdef MASKED
    sigaddset(&action.sa_mask, SIGUSR2);
#endif
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGUSR2, &other, 0);
#ifdef SENT
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
#else
    raise(SIGUSR1);
    raise(SIGUSR2);
    take();
#endif
    return 0;
}
