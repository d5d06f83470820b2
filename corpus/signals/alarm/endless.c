// A thread takes the signals of a timer with an interval for good, so that no execution has an end.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static void *thread(void *arg) {
    int number;
    for (;;) {
        sigwait(arg, &number);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    struct itimerval often = {.it_value = {1, 0}, .it_interval = {1, 0}};
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, &set);
    setitimer(ITIMER_REAL, &often, 0);
    pthread_join(t, 0);
    return 0;
}
