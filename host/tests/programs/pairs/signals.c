/* What is done about signals, which are pending, and what they are sent with. */
#include "headers.h"

static pthread_t first;
static sigset_t blocked;
static int descriptor;

static void nothing(int number) {
    (void)number;
}

static void begin(void) {
    first = pthread_self();
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &blocked, 0);
    descriptor = signalfd(-1, &blocked, SFD_NONBLOCK);
    signal(SIGUSR2, SIG_IGN);
}

static long pending(int number) {
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, number);
}

static long end(void) {
    struct sigaction action;
    sigaction(SIGUSR2, 0, &action);
    long sum = (action.sa_handler == SIG_IGN) * 2 + (action.sa_handler == nothing);
    sum = sum * 2 + !!(action.sa_flags & SA_RESTART);
    return sum * 4 + pending(SIGUSR1) * 2 + pending(SIGRTMIN);
}

static long action_of(int number) {
    struct sigaction action;
    sigaction(number, 0, &action);
    return (action.sa_handler == SIG_IGN) * 4 + (action.sa_handler == nothing) * 2 + !!(action.sa_flags & SA_RESTART);
}

static long taken(void) {
    siginfo_t about = {0};
    long number = sigtimedwait(&blocked, &about, &(struct timespec){0});
    return number == -1 ? -1 : number * 1000 + about.si_code * 10 + about.si_value.sival_int;
}

static long read_from_descriptor(void) {
    struct signalfd_siginfo about = {0};
    long got = read(descriptor, &about, sizeof about);
    return got < 0 ? -1 : about.ssi_signo * 1000L + about.ssi_code * 10 + about.ssi_int;
}

static long mask(void) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, 0, &set);
    return sigismember(&set, SIGUSR2);
}

#define CALLS(CALL) \
    CALL(signal(SIGUSR2, nothing) == SIG_IGN) \
    CALL(signal(SIGUSR2, SIG_DFL) == SIG_IGN) \
    CALL(sigaction(SIGUSR2, &(struct sigaction){.sa_handler = nothing, .sa_flags = SA_RESTART}, 0)) \
    CALL(action_of(SIGUSR2)) \
    CALL(siginterrupt(SIGUSR2, 1)) \
    CALL(signal(SIGUSR1, SIG_IGN) == SIG_DFL) \
    CALL(kill(getpid(), SIGUSR1)) \
    CALL(kill(getpid(), SIGUSR2)) \
    CALL(pthread_kill(first, SIGUSR1)) \
    CALL(raise(SIGUSR1)) \
    CALL(sigqueue(getpid(), SIGUSR1, (union sigval){5})) \
    CALL(sigqueue(getpid(), SIGRTMIN, (union sigval){6})) \
    CALL(sigqueue(getpid(), SIGRTMIN, (union sigval){7})) \
    CALL(pending(SIGUSR1)) \
    CALL(pending(SIGRTMIN)) \
    CALL(taken()) \
    CALL(read_from_descriptor()) \
    CALL(signalfd(descriptor, &blocked, 0) == descriptor) \
    CALL(mask()) \
    CALL(sigblock(sigmask(SIGUSR2))) \
    CALL(pthread_kill(first, 0))

#include "driver.h"
