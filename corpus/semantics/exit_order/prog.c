// A thread exits while main exits, too: who comes first calls what was registered for the end of the process.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static _Thread_local int is_main;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// What the last thing that the process calls looks at.
static void look(int status) {
#if defined WHO
    (void)status;
    assert(is_main); // BUG: assertion
#elif defined STATUS
    assert(status == 0); // BUG: assertion
#elif defined LOCKS
    (void)status;
    pthread_mutex_lock(&mutex); // BUG: mutex-relock
    pthread_mutex_unlock(&mutex);
#else
    (void)status;
#endif
}

#if defined DESTRUCTOR
__attribute__((destructor)) static void destroy(void) {
    look(0);
}
#elif defined QUICK
static void handle(void) {
    look(0);
}
#elif defined STATUS
static void handle(int status, void *unused) {
    (void)unused;
    look(status);
}
#else
static void handle(void) {
    look(0);
}
#endif

#ifdef QUICK
#define EXIT quick_exit
#else
#define EXIT exit
#endif

static void *leave(void *unused) {
    (void)unused;
#ifdef HELD
    pthread_mutex_lock(&mutex);
#endif
    EXIT(0);
}

int main(void) {
    pthread_t thread;
    is_main = 1;
#if defined QUICK
    at_quick_exit(handle);
#elif defined STATUS
    on_exit(handle, NULL);
#elif !defined DESTRUCTOR
    atexit(handle);
#endif
    pthread_create(&thread, NULL, leave, NULL);
#ifdef JOINED
    pthread_join(thread, NULL);
#endif
#ifdef STATUS
    return 1;
#elif defined QUICK
    quick_exit(0);
#else
    return 0;
#endif
}
