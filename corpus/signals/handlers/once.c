// The second signal finds the default, as the first one has taken the handler away.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int x;

static void handler(int number) {
    (void)number;
}

static void *thread(void *arg) {
    atomic_store(&x, 1); // BUG: crash
    atomic_store(&x, 2); // BUG: crash
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
