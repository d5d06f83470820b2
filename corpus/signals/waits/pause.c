// The thread looks whether it is to stop, and waits if not: the signal may come in between.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stop;

static void handler(int number) {
    (void)number;
    atomic_store(&stop, 1);
}

static void *thread(void *arg) {
    if (!atomic_load(&stop)) {
        pause(); // BUG: deadlock
    }
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
