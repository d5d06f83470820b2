// The handler of a signal posts the unit that its thread waits for: however late the signal comes, nobody waits for ever.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t units;

static void handler(int signal) {
    (void)signal;
    sem_post(&units);
}

static void *waits(void *arg) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    sem_wait(&units);
    return arg;
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL);
    sem_init(&units, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
