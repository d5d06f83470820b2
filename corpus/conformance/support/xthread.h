// Calls of the threads API that must succeed, by the names that glibc's tests use.
#pragma once
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define CONFORMANCE_CALL(name, parameters, arguments) \
    static inline void x##name parameters { \
        int error = name arguments; \
        assert(error == 0); \
    }

CONFORMANCE_CALL(pthread_barrier_init, (pthread_barrier_t *a, const pthread_barrierattr_t *b, unsigned c), (a, b, c))
CONFORMANCE_CALL(pthread_barrier_destroy, (pthread_barrier_t *a), (a))
CONFORMANCE_CALL(pthread_mutexattr_init, (pthread_mutexattr_t *a), (a))
CONFORMANCE_CALL(pthread_mutexattr_destroy, (pthread_mutexattr_t *a), (a))
CONFORMANCE_CALL(pthread_mutexattr_settype, (pthread_mutexattr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_mutexattr_setprotocol, (pthread_mutexattr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_mutexattr_setpshared, (pthread_mutexattr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_mutexattr_setrobust, (pthread_mutexattr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_mutex_init, (pthread_mutex_t *a, const pthread_mutexattr_t *b), (a, b))
CONFORMANCE_CALL(pthread_mutex_destroy, (pthread_mutex_t *a), (a))
CONFORMANCE_CALL(pthread_mutex_lock, (pthread_mutex_t *a), (a))
CONFORMANCE_CALL(pthread_mutex_unlock, (pthread_mutex_t *a), (a))
CONFORMANCE_CALL(pthread_mutex_consistent, (pthread_mutex_t *a), (a))
CONFORMANCE_CALL(pthread_spin_lock, (pthread_spinlock_t *a), (a))
CONFORMANCE_CALL(pthread_spin_unlock, (pthread_spinlock_t *a), (a))
CONFORMANCE_CALL(pthread_cond_wait, (pthread_cond_t *a, pthread_mutex_t *b), (a, b))
CONFORMANCE_CALL(pthread_cond_signal, (pthread_cond_t *a), (a))
CONFORMANCE_CALL(pthread_cond_broadcast, (pthread_cond_t *a), (a))
CONFORMANCE_CALL(pthread_rwlockattr_init, (pthread_rwlockattr_t *a), (a))
CONFORMANCE_CALL(pthread_rwlockattr_setkind_np, (pthread_rwlockattr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_rwlock_init, (pthread_rwlock_t *a, const pthread_rwlockattr_t *b), (a, b))
CONFORMANCE_CALL(pthread_rwlock_rdlock, (pthread_rwlock_t *a), (a))
CONFORMANCE_CALL(pthread_rwlock_wrlock, (pthread_rwlock_t *a), (a))
CONFORMANCE_CALL(pthread_rwlock_unlock, (pthread_rwlock_t *a), (a))
CONFORMANCE_CALL(pthread_rwlock_destroy, (pthread_rwlock_t *a), (a))
CONFORMANCE_CALL(pthread_attr_init, (pthread_attr_t *a), (a))
CONFORMANCE_CALL(pthread_attr_destroy, (pthread_attr_t *a), (a))
CONFORMANCE_CALL(pthread_attr_setdetachstate, (pthread_attr_t *a, int b), (a, b))
CONFORMANCE_CALL(pthread_attr_setstacksize, (pthread_attr_t *a, size_t b), (a, b))
CONFORMANCE_CALL(pthread_attr_setguardsize, (pthread_attr_t *a, size_t b), (a, b))
CONFORMANCE_CALL(pthread_attr_setstack, (pthread_attr_t *a, void *b, size_t c), (a, b, c))
CONFORMANCE_CALL(pthread_attr_setaffinity_np, (pthread_attr_t *a, size_t b, const cpu_set_t *c), (a, b, c))
CONFORMANCE_CALL(pthread_detach, (pthread_t a), (a))
CONFORMANCE_CALL(pthread_cancel, (pthread_t a), (a))
CONFORMANCE_CALL(pthread_kill, (pthread_t a, int b), (a, b))
CONFORMANCE_CALL(pthread_sigmask, (int a, const sigset_t *b, sigset_t *c), (a, b, c))
CONFORMANCE_CALL(pthread_key_create, (pthread_key_t *a, void (*b)(void *)), (a, b))
CONFORMANCE_CALL(pthread_key_delete, (pthread_key_t a), (a))
CONFORMANCE_CALL(pthread_setspecific, (pthread_key_t a, const void *b), (a, b))
CONFORMANCE_CALL(pthread_once, (pthread_once_t *a, void (*b)(void)), (a, b))

// True for the serial thread.
static inline int xpthread_barrier_wait(pthread_barrier_t *barrier) {
    int result = pthread_barrier_wait(barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    return result == PTHREAD_BARRIER_SERIAL_THREAD;
}

static inline pthread_t xpthread_create(pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    pthread_t thread;
    int error = pthread_create(&thread, attributes, start, argument);
    assert(error == 0);
    return thread;
}

static inline void *xpthread_join(pthread_t thread) {
    void *result;
    int error = pthread_join(thread, &result);
    assert(error == 0);
    return result;
}

static inline void *conformance_exit_later(void *seconds) {
    sleep((unsigned)(unsigned long)seconds);
    _exit(0);
}

// Ends the process well after some time: for tests that succeed if nothing bad happens until then.
static inline void delayed_exit(int seconds) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, conformance_exit_later, (void *)(unsigned long)seconds);
    assert(error == 0);
    pthread_detach(thread);
}
