// A thread that only sleeps is no thread that runs wild: where nobody waits for it, the program ends in spite of it.
#include <pthread.h>
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

static void *watch(void *arg) {
#if defined(COUNTED)
    (void)arg;
    for (int i = 0; i < 2000; i++)
        sleep(1);
    struct timeval limit = {.tv_usec = 10};
    select(0, NULL, NULL, NULL, &limit);
    poll(NULL, 0, 10);
    return NULL;
#else
    for (;;) // BUG: livelock
        sleep(1); // BUG: livelock
    return arg;
#endif
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, watch, NULL);
#if defined(COUNTED) || defined(AWAITED)
    pthread_join(thread, NULL);
#else
    pthread_detach(thread); // The end of main ends the thread.
#endif
    return 0; // BUG: missing-pthread-exit
}
