// What main wrote before it sent the signal is there for the handler.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static int message;
static atomic_int x;

static void handler(int number) {
    (void)number;
    assert(message == 1);
}

static void *thread(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    message = 1;
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
