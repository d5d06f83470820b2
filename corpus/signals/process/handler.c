// Which thread runs the handler of a signal of the process is open: main, or the other one, which does not block it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_t main_thread;
static atomic_int x;

static void handler(int number) {
    (void)number;
#ifdef WRONG
    assert(pthread_equal(pthread_self(), main_thread)); // BUG: assertion
#endif
}

static void *thread(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    main_thread = pthread_self();
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    kill(getpid(), SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
