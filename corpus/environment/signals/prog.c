// Signals that a program sends itself, as POSIX has them: blocked while their handler runs, pending while they are
// blocked, reset where asked for, and a handler of SIGABRT may jump out of abort. One table of actions for all threads.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int depth, deepest, count;

static void nested(int number) {
    depth++;
    if (depth > deepest)
        deepest = depth;
    if (count++ == 0)
        raise(number);
    depth--;
}

static sigjmp_buf place;

static void jump(int number) {
    siglongjmp(place, number);
}

static int seen;

static void first(int number) {
    (void)number;
    seen = 1;
}

static void second(int number) {
    (void)number;
    seen = 2;
}

static void *replace(void *arg) {
    signal(SIGUSR1, second);
    return arg;
}

static void *nothing(void *arg) {
    return arg;
}

static void install(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGUSR1, &action, NULL);
}

int main(void) {
    pthread_t thread;
#if defined(NESTED)
    install(nested, 0);
    raise(SIGUSR1);
    assert(deepest == 1 && count == 2);
#elif defined(NO_DEFER)
    install(nested, SA_NODEFER);
    raise(SIGUSR1);
    assert(deepest == 2 && count == 2);
#elif defined(PENDING)
    sigset_t set, waiting;
    install(first, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    sigpending(&waiting);
    assert(sigismember(&waiting, SIGUSR1) && seen == 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    assert(seen == 1);
#elif defined(RESET)
    install(first, SA_RESETHAND);
    raise(SIGUSR1);
    raise(SIGUSR1); // BUG: crash
#elif defined(ABORT)
    signal(SIGABRT, jump);
    if (sigsetjmp(place, 1) == 0)
        abort();
#elif defined(OTHER_STACK)
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    install(first, SA_ONSTACK);
    raise(SIGUSR1);
#elif defined(WHOLE_PROCESS)
    install(first, 0);
    pthread_create(&thread, NULL, nothing, NULL);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
#else
    signal(SIGUSR1, first);
    pthread_create(&thread, NULL, replace, NULL);
    raise(SIGUSR1);
    assert(seen == 1); // BUG: assertion
    pthread_join(thread, NULL);
#endif
    (void)thread, (void)replace, (void)nothing, (void)jump, (void)nested, (void)install, (void)first;
    return 0;
}
