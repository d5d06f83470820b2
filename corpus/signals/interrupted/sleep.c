// A sleep is over when a handler has run, and says what is left.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <errno.h>
#include <time.h>

static void handler(int number) {
    (void)number;
}

static void *thread(void *arg) {
    struct timespec length = {.tv_sec = 5}, rest = {0};
    int result = nanosleep(&length, &rest);
    assert(result == 0 || errno == EINTR && rest.tv_sec > 0);
#ifdef WRONG
    assert(result == 0); // BUG: assertion
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, thread, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
