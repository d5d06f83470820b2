// A signal is pending for the process and is sent to main as well, which waits by sigsuspend: the handler blocks the
// signal while it runs, and as it returns main blocks the signal again. So the handler runs once.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_t main_thread;
static int handled;

static void handler(int signal) {
    (void)signal;
    handled++;
}

static void *sends(void *arg) {
    pthread_kill(main_thread, SIGUSR1);
    return arg;
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL);
    main_thread = pthread_self();
    kill(getpid(), SIGUSR1);
    pthread_t thread;
    pthread_create(&thread, NULL, sends, NULL);
    sigemptyset(&set);
    sigsuspend(&set);
    pthread_join(thread, NULL);
    assert(handled == 1);
    return 0;
}
