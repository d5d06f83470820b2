// A thread registers a function for the end of the process, which main may have begun by then.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>

#ifdef GOOD
#define END (void)0
#else
#define END abort()
#endif

#ifdef STATUS
static void handle(int status, void *unused) {
    (void)status, (void)unused;
    END; // BUG: abort
}
#else
static void handle(void) {
    END; // BUG: abort
}
#endif

static void *work(void *unused) {
#if defined STATUS
    on_exit(handle, NULL);
#elif defined QUICK
    at_quick_exit(handle);
#else
    atexit(handle);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
#ifdef QUICK
    quick_exit(0);
#else
    return 0;
#endif
}
