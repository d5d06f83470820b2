// sigtimedwait without time does not wait: a handler that runs meanwhile does not interrupt it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static pthread_t main_thread;

static void handler(int signal) {
    (void)signal;
}

static void *sends(void *arg) {
    pthread_kill(main_thread, SIGUSR1);
    return arg;
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, 0);
    main_thread = pthread_self();
    pthread_t thread;
    pthread_create(&thread, 0, sends, 0);
    struct timespec none = {0};
    int result = sigtimedwait(&set, 0, &none);
    assert(result == -1 && errno == EAGAIN);
    pthread_join(thread, 0);
    return 0;
}
