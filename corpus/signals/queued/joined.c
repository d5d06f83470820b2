// A signal with a value to a thread that was joined.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
#ifdef RIGHT
    pthread_sigqueue(t, 0, (union sigval){.sival_int = 1});
    pthread_join(t, 0);
#else
    pthread_join(t, 0);
    pthread_sigqueue(t, 0, (union sigval){.sival_int = 1}); // BUG: thread-gone
#endif
    return 0;
}
