// A request ends a wait at a pipe: nobody waits for ever.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *waits(void *unused) {
    char byte;
#ifdef POLLS
    poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1);
#endif
    read(ends[0], &byte, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pipe(ends);
    pthread_create(&thread, 0, waits, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
#ifdef ENDS_ITSELF
    assert(result == 0); // BUG: assertion
#else
    assert(result == PTHREAD_CANCELED);
#endif
}
