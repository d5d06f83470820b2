// A wait with a time limit ends by a signal, as its time has come or, where waits may end for nothing, before that and
// with the result of a wait that was woken.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static mtx_t lock;
static cnd_t condition;
static _Atomic int word;
static const struct timespec soon = {1, 0};

static int waits(void) {
#if defined CLOCK
    return pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &soon);
#elif defined C11
    return cnd_timedwait(&condition, &lock, &soon) == thrd_timedout ? ETIMEDOUT : 0;
#elif defined FUTEX
    return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0) == 0 ? 0 : errno;
#else
    return pthread_cond_timedwait(&changed, &mutex, &soon);
#endif
}

int main(void) {
    mtx_init(&lock, mtx_timed);
    cnd_init(&condition);
    mtx_lock(&lock);
    pthread_mutex_lock(&mutex);
    int result = waits();
#ifdef LOOP
    if (result == 0) {
        result = ETIMEDOUT;
    }
#endif
    assert(result == ETIMEDOUT); // BUG: assertion
    pthread_mutex_unlock(&mutex);
    mtx_unlock(&lock);
    cnd_destroy(&condition);
    mtx_destroy(&lock);
    return 0;
}
