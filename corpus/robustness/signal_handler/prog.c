// Installs a handler and raises the signal at itself.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static volatile sig_atomic_t handled;
static atomic_int x;

static void handler(int number) {
    handled = number;
}

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    raise(SIGUSR1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return handled == SIGUSR1 ? 0 : 1;
}
