// A thread that waits in a read of a signalfd is cancelled.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void *thread(void *arg) {
    struct signalfd_siginfo about;
    read(fd, &about, sizeof about);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && close(fd) == 0);
    return 0;
}
