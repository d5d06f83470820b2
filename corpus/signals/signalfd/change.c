// Which signals a descriptor takes is changed before a thread reads, or beside it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void *thread(void *arg) {
    struct signalfd_siginfo about;
    assert(read(fd, &about, sizeof about) == sizeof about && about.ssi_signo == SIGUSR1); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t first, second;
    sigemptyset(&first), sigemptyset(&second);
    sigaddset(&first, SIGUSR1), sigaddset(&second, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &first, NULL), pthread_sigmask(SIG_BLOCK, &second, NULL);
#if defined(BESIDE)
    fd = signalfd(-1, &second, 0);
    pthread_create(&t, NULL, thread, NULL);
    assert(signalfd(fd, &first, 0) == fd);
#elif defined(WRONG)
    fd = signalfd(-1, &first, 0);
    assert(signalfd(fd, &second, 0) == fd);
    pthread_create(&t, NULL, thread, NULL);
#else
    fd = signalfd(-1, &second, 0);
    assert(signalfd(fd, &first, 0) == fd);
    pthread_create(&t, NULL, thread, NULL);
#endif
    kill(getpid(), SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
