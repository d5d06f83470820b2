// A timer whose expiry begins a thread.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t told;
static int shared;
static atomic_int begun;
#ifdef JOINED
static pthread_t thread;
#endif

#ifdef STACK
__attribute__((noinline)) static void fill(void) {
    volatile char large[USED];
    for (unsigned i = sizeof large; i > 0; i -= 64)
        large[i - 64] = 1; // BUG: crash
}
#endif

static void function(union sigval value) {
    assert(value.sival_int == 7);
    begun = 1;
#ifdef MASK
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    assert(!sigismember(&set, SIGUSR1));
#endif
#ifdef STACK
    fill();
#endif
#ifdef SHARED
    if (LOCKED)
        pthread_mutex_lock(&mutex); // BUG: deadlock
    shared++;
    if (LOCKED)
        pthread_mutex_unlock(&mutex);
#endif
#ifdef JOINED
    thread = pthread_self();
#endif
    sem_post(&told);
}

int main(void) {
    timer_t timer;
    pthread_attr_t attributes;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function, .sigev_value = {7}};
    struct itimerspec time = {.it_value = {2, 0}};
    sem_init(&told, 0, 0);
#ifdef MASK
    sigset_t set;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
    pthread_attr_init(&attributes);
#ifdef STACK
    pthread_attr_setstacksize(&attributes, STACK);
    event.sigev_notify_attributes = &attributes;
#endif
    assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    // The timer has a copy.
    pthread_attr_destroy(&attributes);
    memset(&attributes, 0, sizeof attributes);
#ifdef INTERVAL
    time.it_interval.tv_sec = 1;
#endif
    assert(timer_settime(timer, 0, &time, 0) == 0);
#ifdef OFF
    assert(timer_settime(timer, 0, &(struct itimerspec){0}, 0) == 0);
    int before = begun;
    (void)before;
#ifdef WRONG
    assert(!before); // BUG: assertion
#endif
    return 0;
#endif
#ifdef SHARED
    if (LOCKED)
        pthread_mutex_lock(&mutex);
    shared++; // BUG: data-race
#ifndef HELD
    if (LOCKED)
        pthread_mutex_unlock(&mutex);
#endif
#endif
    sem_wait(&told);
#ifdef INTERVAL
    sem_wait(&told);
#endif
    assert(timer_delete(timer) == 0);
#ifdef JOINED
    pthread_join(thread, NULL); // BUG: join-invalid BUG: thread-gone
#endif
#ifndef INTERVAL
    sem_destroy(&told);
#endif
}
