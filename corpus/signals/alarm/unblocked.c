// The signal of an alarm goes to any thread that does not block it, and ends the process there although main waits for it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex); // BUG: crash
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
#ifdef WRONG
    pthread_create(&t, 0, thread, 0);
    pthread_sigmask(SIG_BLOCK, &set, 0);
#else
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, thread, 0);
#endif
    alarm(1);
    sigwait(&set, &number);
    pthread_join(t, 0);
    return 0;
}
