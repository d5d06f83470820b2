// Two threads read signals of the process, each from a descriptor of its own or both from one: one of them gets the
// signal, and sends it again.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <unistd.h>

static atomic_int taken;
static sigset_t set;

static void *thread(void *fd) {
    struct signalfd_siginfo about;
    assert(read(*(int *)fd, &about, sizeof about) == sizeof about); // BUG: deadlock
#ifndef WRONG
    if (atomic_fetch_add(&taken, 1) == 0) {
        kill(getpid(), SIGUSR1);
    }
#endif
    return fd;
}

int main(void) {
    pthread_t a, b;
    int descriptors[2];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    descriptors[0] = signalfd(-1, &set, 0);
#ifdef OWN
    descriptors[1] = signalfd(-1, &set, 0);
#else
    descriptors[1] = dup(descriptors[0]);
#endif
    pthread_create(&a, NULL, thread, &descriptors[0]);
    pthread_create(&b, NULL, thread, &descriptors[1]);
    kill(getpid(), SIGUSR1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
