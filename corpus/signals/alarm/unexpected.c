// An alarm is to end the program if that hangs; nothing else is done about its signal.
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return arg;
}

#ifdef GIVEN_UP
static void handler(int number) {
    (void)number;
}
#endif

static void set(void) {
#ifdef POSIX
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    struct itimerspec time = {.it_value = {60, 0}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &time, 0);
#else
#ifdef GIVEN_UP
    signal(SIGALRM, handler);
    signal(SIGALRM, SIG_DFL);
#endif
    alarm(60);
#endif
}

int main(void) {
    pthread_t t;
    set();
    pthread_create(&t, 0, thread, 0);
#ifdef WRONG
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // BUG: deadlock
#else
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
#endif
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_join(t, 0);
    return 0;
}
