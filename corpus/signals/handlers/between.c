// A signal to a thread that makes two atomic stores: its handler runs before the first, between them, or not at all.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int handled, x;

static void handler(int number) {
    assert(number == SIGUSR1);
    atomic_fetch_add(&handled, 1);
}

static void *thread(void *arg) {
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    assert(handled <= 1);
    return 0;
}
