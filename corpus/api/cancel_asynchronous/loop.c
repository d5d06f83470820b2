// A loop that only stores is left at a request.
#include <pthread.h>
#include <sched.h>

static _Atomic int word;

static void *storer(void *argument) {
#ifdef DEFERRED
    while (word != 2) {
        pthread_testcancel();
        sched_yield();
    }
#else
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    for (;;)
        word = 1;
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, storer, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
