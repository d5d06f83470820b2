// CALL yields the error that POSIX names for it; one thread.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t sem;

// The error of a call that returns -1, or 0.
static inline int number(int result) {
    return result == -1 ? errno : 0;
}

int main(void) {
    sigset_t set;
    int value;
    (void)value, (void)barrier;
    sigemptyset(&set);
    sem_init(&sem, 0, UNITS);
    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&written);
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    assert((CALL) == ERROR);
    pthread_spin_unlock(&spin);
    pthread_spin_destroy(&spin);
    pthread_rwlock_unlock(&written);
    pthread_mutex_unlock(&held);
    return 0;
}
