// A signal to a thread that was joined.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
#ifdef WRONG
    pthread_join(t, 0);
    pthread_kill(t, NUMBER); // BUG: thread-gone
#else
    assert(pthread_kill(t, 0) == 0);
    assert(pthread_kill(t, 65) == 22);
    pthread_join(t, 0);
#endif
    return 0;
}
