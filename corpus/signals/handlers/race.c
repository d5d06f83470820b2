// The handler adds to a variable that main changes under no lock that the handler takes.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static int count;
static atomic_int x;

static void handler(int number) {
    (void)number;
    count++; // BUG: data-race
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
    pthread_kill(t, SIGUSR1);
    count++; // BUG: data-race
    pthread_join(t, 0);
    return 0;
}
