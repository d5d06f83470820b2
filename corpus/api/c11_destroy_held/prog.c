// mtx_destroy of a mutex that a thread holds is right in C11 as long as no thread waits for it (7.26.4.1). With WAITS another
// thread does. POSIX' mutexes have to be unlocked (POSIX).
#include <pthread.h>
#include <threads.h>

static mtx_t mutex;
static pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;

static int locks(void *arg) {
    mtx_lock(&mutex); // BUG: mutex-uninitialized deadlock
    return arg != 0;
}

int main(void) {
    thrd_t thread;
    (void)locks, (void)thread, (void)posix;
    mtx_init(&mutex, mtx_plain | mtx_recursive);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
#ifdef WAITS
    thrd_create(&thread, locks, 0);
#endif
    mtx_destroy(&mutex); // BUG: mutex-destroyed-locked
#ifdef POSIX
    pthread_mutex_lock(&posix);
    pthread_mutex_destroy(&posix); // BUG: mutex-destroyed-locked
#endif
    // The memory may be a mutex again.
    mtx_init(&mutex, mtx_plain);
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    return 0;
}
