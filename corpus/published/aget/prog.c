// aget 0.4 (table 2 of the paper about Inspect): threads that download parts of a file count the bytes written under a
// mutex; the thread that takes the interruption by sigwait saves the count without it. Fixed by the mutex. WRONG == 1: as it
// was.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long written;
static long saved = -1;
static sigset_t interruptions;

static void *downloads(void *arg) {
    pthread_mutex_lock(&lock);
    written += 512; // BUG: data-race
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *saves(void *arg) {
    int number;
    sigwait(&interruptions, &number);
#if WRONG
    saved = written; // BUG: data-race
#else
    pthread_mutex_lock(&lock);
    saved = written;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void) {
    pthread_t download, handler;
    sigemptyset(&interruptions);
    sigaddset(&interruptions, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interruptions, 0);
    pthread_create(&handler, 0, saves, 0);
    pthread_create(&download, 0, downloads, 0);
    pthread_kill(handler, SIGINT);
    pthread_join(handler, 0);
    pthread_join(download, 0);
    assert(saved == 0 || saved == 512);
    return 0;
}
