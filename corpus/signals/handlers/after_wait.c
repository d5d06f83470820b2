// A second signal comes behind the handler that ended the wait, and before the store behind the wait.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_t main_thread;
static atomic_int x;
static int ended, stored;

static void ends(int number) {
    ended = 1;
}

static void comes(int number) {
    assert(!ended || stored); // BUG: assertion
}

static void *thread(void *arg) {
    pthread_kill(main_thread, SIGUSR1);
    pthread_kill(main_thread, SIGUSR2);
    atomic_load(&x);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t first, none;
    sigemptyset(&none);
    sigemptyset(&first);
    sigaddset(&first, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &first, 0);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ends}, 0);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = comes}, 0);
    main_thread = pthread_self();
    pthread_create(&t, 0, thread, 0);
    sigsuspend(&none);
    atomic_store(&x, 1);
    stored = 1;
    pthread_join(t, 0);
    return 0;
}
