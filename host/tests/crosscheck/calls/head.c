#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long word;

/* What the threads have noted, the atomic variables, how often handlers have run in each thread. */
word variables[8];
static pthread_t threads[3];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int guarded, joined;
static __thread int self, got, own;
static __thread siginfo_t information;
static __thread struct signalfd_siginfo taken;
static __thread sigset_t asked;
static __thread struct itimerspec before;
static __thread word amount;
static __thread unsigned char byte;
static __thread struct pollfd polled[2];
static const struct timespec none, far = {4000000000, 0};
static const struct itimerspec soon = {.it_value = {1, 0}}, never;

#define note(thread, code) (variables[thread] = variables[thread] * 64 + (word)(code))
#define queued(value) ((union sigval){.sival_int = (value)})
#define failed() \
    (errno == EINTR ? 40 : errno == EAGAIN ? 41 : errno == EBADF ? 42 : errno == EPIPE ? 43 : errno == ENXIO ? 44 : 45)
#define coded(signal) \
    ((signal) < 0                ? failed() \
     : (signal) == SIGUSR1      ? 1 \
     : (signal) == SIGUSR2      ? 2 \
     : (signal) == SIGALRM      ? 3 \
     : (signal) == SIGRTMIN + 1 ? 4 \
                                : 50)
#define bit(fd, flag, value) ((fd).revents & (flag) ? (value) : 0)
#define has_value(code) ((code) == SI_QUEUE || (code) == SI_TIMER)
#define pending() \
    (sigpending(&asked), 1 + sigismember(&asked, SIGUSR1) + 2 * sigismember(&asked, SIGUSR2) + \
        4 * sigismember(&asked, SIGALRM) + 8 * sigismember(&asked, SIGRTMIN + 1))
#define is_set(timespec) ((timespec).tv_sec || (timespec).tv_nsec)
#define done(result) ((result) < 0 ? failed() : 1)

static void handler(int signal) {
    (void)signal;
    __atomic_fetch_add(&variables[5 + self], 1, __ATOMIC_SEQ_CST);
}

static void cleaned(void *unused) {
    (void)unused;
    __atomic_fetch_add(&variables[5 + self], 1, __ATOMIC_SEQ_CST);
}

static void give_back(void *unused) {
    (void)unused;
    guarded++;
    pthread_mutex_unlock(&mutex);
}
