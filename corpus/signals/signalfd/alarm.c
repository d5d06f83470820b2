// The signal of a timer is read: the program expects it, so that the timer expires.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    struct signalfd_siginfo about;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, 0);
    alarm(5);
    assert(read(fd, &about, sizeof about) == sizeof about);
    assert(about.ssi_signo == SIGALRM && about.ssi_code == SI_KERNEL && about.ssi_pid == 0);
    return close(fd);
}
