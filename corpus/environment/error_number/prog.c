// A thread reads main's errno. A function of the C library that fails writes it, which nobody announces.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int *number;
static int seen;

static void *look(void *unused) {
    (void)unused;
#ifdef OWN
    seen = errno;
#else
    seen = *number; // BUG: data-race
#endif
    return NULL;
}

int main(void) {
    pthread_t thread;
    number = &errno;
    pthread_create(&thread, NULL, look, NULL);
#ifdef DIRECT
    errno = EBADF; // BUG: data-race
#else
    strtol("99999999999999999999999", NULL, 10);
#endif
    pthread_join(thread, NULL);
    return seen;
}
