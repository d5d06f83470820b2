// A wait for a semaphore may fail where a handler runs; a program that does not try again goes on too early.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <errno.h>
#include <semaphore.h>

static sem_t ready;
static atomic_int value;

static void handler(int number) {
    (void)number;
}

static void *thread(void *arg) {
#ifdef WRONG
    sem_wait(&ready);
#else
    while (sem_wait(&ready) != 0) {
        assert(errno == EINTR);
    }
#endif
    assert(atomic_load(&value) == 1); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    sigaction(SIGUSR1, &action, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    atomic_store(&value, 1);
    sem_post(&ready);
    pthread_join(t, 0);
    return 0;
}
