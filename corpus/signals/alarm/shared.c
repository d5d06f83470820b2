// A thread that waits for the alarm uses what main prepares: before main sets the alarm, or after that.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int prepared;

static void *thread(void *arg) {
    int number;
    sigwait(arg, &number);
    prepared++; // BUG: data-race(prepared)
    return 0;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, &set);
#ifdef WRONG
    alarm(1);
    prepared = 1; // BUG: data-race(prepared)
#else
    prepared = 1;
    alarm(1);
#endif
    pthread_join(t, 0);
    return 0;
}
