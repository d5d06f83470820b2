#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
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
static pthread_mutex_t mutexes[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                                     PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread sem_t *named;
static __thread int has[7];
static int guarded, posts, quiet, instance;
/* Which threads main is not to join any more. */
static int over[3];
static __thread int self, got, own;
static __thread siginfo_t information;
static __thread struct signalfd_siginfo taken;
static __thread sigset_t asked;
static __thread struct itimerspec before;
static __thread struct itimerval interval;
static __thread struct epoll_event events[2];
static __thread word amount;
static __thread unsigned char byte;
static __thread struct pollfd polled[2];
static const struct timespec none, far = {4000000000, 0};
static const struct itimerspec soon = {.it_value = {1, 0}}, often = {{1, 0}, {1, 0}}, never;

#define note(thread, code) (variables[thread] = variables[thread] * 64 + (word)(code))
#define queued(value) ((union sigval){.sival_int = (value)})
#define failed() told(errno)
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

static int told(int error) {
    switch (error) {
    case 0: return 1;
    case EINTR: return 40;
    case EAGAIN: return 41;
    case EBADF: return 42;
    case EPIPE: return 43;
    case ENXIO: return 44;
    case ETIMEDOUT: return 46;
    case EBUSY: return 47;
    case EDEADLK: return 48;
    case EOWNERDEAD: return 49;
    case ENOTRECOVERABLE: return 50;
    case EEXIST: return 51;
    case ENOENT: return 52;
    }
    return 45;
}

static void handler(int signal) {
    int count = signal == SIGUSR1 ? 1 : 16;
    if (quiet)
        variables[5 + self] += count;
    else
        __atomic_fetch_add(&variables[5 + self], count, __ATOMIC_SEQ_CST);
    if (posts)
        sem_post(&semaphore);
}

static void post(union sigval unused) {
    (void)unused;
    sem_post(&semaphore);
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

static void initialised(void) {
    __atomic_fetch_add(&variables[3], 1, __ATOMIC_SEQ_CST);
}

static void destroyed(void *value) {
    __atomic_fetch_add(&variables[4], 1, __ATOMIC_SEQ_CST);
    if ((long)value > 1)
        pthread_setspecific(key, (char *)value - 1);
}

static void make_robust(pthread_mutex_t *robust) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(robust, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
