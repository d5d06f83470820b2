// Every call that takes the handle of a thread, with one whose thread was joined; with -DDETACHED, of a thread that is detached and
// about to end; with -DUNORDERED, beside a join by another thread; with -DLIVES, of a thread that lives; with -DENDED, of one that
// may have ended and can still be joined (ASKS is the call, EXPECTED what it may return then).
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

static pthread_t thread;
static sem_t begun, asked;

static void *runs(void *arg) {
#ifdef DETACHED
    sem_post(&begun);
#elif defined(LIVES)
    sem_wait(&asked);
#endif
    return arg;
}

// Calls that ask for something of the thread, or change it.
#ifdef ENDED
static void asks(void) {
    clockid_t clock;
    int policy, error;
    struct sched_param parameters = {0};
    error = ASKS;
    assert(error == 0 || error == EXPECTED); // BUG: assertion(ended)
    (void)clock, (void)policy, (void)parameters;
}
#else
static void asks(void) {
    cpu_set_t set;
    pthread_attr_t attributes;
    clockid_t clock;
    char name[16];
    int policy;
    struct sched_param parameters = {0};
    int error = 0;
    (void)error, (void)policy, (void)parameters;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
#ifndef UNORDERED
    // Not modelled of a thread that has ended and can still be joined.
    error |= pthread_getaffinity_np(thread, sizeof set, &set);               // BUG: thread-gone(getaffinity)
    error |= pthread_setaffinity_np(thread, sizeof set, &set);               // BUG: thread-gone(setaffinity)
    error |= pthread_setname_np(thread, "named");                            // BUG: thread-gone(setname)
    error |= pthread_getname_np(thread, name, sizeof name);                  // BUG: thread-gone(getname)
#endif
    error |= pthread_getattr_np(thread, &attributes);                        // BUG: thread-gone(getattr)
    error |= pthread_getcpuclockid(thread, &clock);                          // BUG: thread-gone(getcpuclockid)
#if !defined(LIVES) && !defined(UNORDERED)
    // Of a thread that lives, the system call is not modelled.
    error |= pthread_getschedparam(thread, &policy, &parameters);            // BUG: thread-gone(getschedparam)
    error |= pthread_setschedparam(thread, SCHED_OTHER, &parameters);        // BUG: thread-gone(setschedparam)
    error |= pthread_setschedprio(thread, 0);                                // BUG: thread-gone(setschedprio)
#endif
#ifdef LIVES
    assert(error == 0);
#endif
    // Compares numbers, whatever they stand for.
    assert(pthread_equal(thread, thread) && !thrd_equal(thread, thrd_current()));
}

static void joins(void) {
    struct timespec past = {1, 0};
    union sigval value = {0};
    pthread_cancel(thread);                                                  // BUG: thread-gone(cancel)
    pthread_kill(thread, 0);                                                 // BUG: thread-gone(kill)
    pthread_sigqueue(thread, 0, value);                                      // BUG: thread-gone(sigqueue)
    pthread_join(thread, NULL);                                              // BUG: join-invalid(join)
    pthread_tryjoin_np(thread, NULL);                                        // BUG: join-invalid(tryjoin)
    pthread_timedjoin_np(thread, NULL, &past);                               // BUG: join-invalid(timedjoin)
    pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &past);              // BUG: join-invalid(clockjoin)
    pthread_detach(thread);                                                  // BUG: join-invalid(detach)
    thrd_join(thread, NULL);                                                 // BUG: join-invalid(thrd_join)
    thrd_detach(thread);                                                     // BUG: join-invalid(thrd_detach)
}
#endif

static void *joiner(void *arg) {
    pthread_join(thread, NULL);
    return arg;
}

int main(void) {
    pthread_t other;
    (void)other, (void)joiner;
    sem_init(&begun, 0, 0);
    sem_init(&asked, 0, 0);
    pthread_create(&thread, NULL, runs, NULL);
#if defined(DETACHED)
    pthread_detach(thread);
    sem_wait(&begun);
    asks();
    joins();
#elif defined(UNORDERED)
    pthread_create(&other, NULL, joiner, NULL);
    asks();
    pthread_join(other, NULL);
#elif defined(LIVES) || defined(ENDED)
    asks();
    sem_post(&asked);
    pthread_join(thread, NULL);
#else
    pthread_join(thread, NULL);
    asks();
    joins();
#endif
    sem_destroy(&begun);
    sem_destroy(&asked);
    return 0;
}
