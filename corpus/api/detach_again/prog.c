// Two calls join or detach one thread, in no order: one of them is a mistake, whichever comes first.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_t child;

static void *work(void *argument) {
#ifdef SELF
    pthread_detach(pthread_self()); // BUG: join-invalid
#endif
    return argument;
}

static void *detach(void *argument) {
#ifdef DETACHES
    pthread_detach(child); // BUG: join-invalid
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&child, NULL, work, NULL);
    pthread_create(&thread, NULL, detach, NULL);
#if defined TRIES
    pthread_tryjoin_np(child, NULL); // BUG: join-invalid
#elif defined JOINS
    pthread_join(child, NULL); // BUG: join-invalid
#else
    pthread_detach(child); // BUG: join-invalid
#endif
    pthread_join(thread, NULL);
    pthread_exit(NULL);
}
