/* The text of an error without a name belongs to the thread that has asked for it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char copy[64];

static char *text(void) {
#ifdef SIGNAL
    return strsignal(9999);
#else
    return strerror(99999);
#endif
}

static void *work(void *argument) {
    (void)argument;
    strcpy(copy, text());
#ifdef COPIED
    return copy;
#else
    return text();
#endif
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    return *(char *)result == 'q'; // BUG: heap-use-after-free
}
