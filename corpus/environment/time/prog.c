// Time does not run backwards from what one thread tells another, by whatever means, and a wait that timed out took as
// long as it was to.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_long told;
static long stamp;
static int ready;

static long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void *teller(void *arg) {
    for (int i = 0; i < 5; i++)
        now(CLOCK_MONOTONIC);
#if defined(ATOMIC)
    told = now(CLOCK_MONOTONIC);
#else
    pthread_mutex_lock(&mutex);
    stamp = now(CLOCK_MONOTONIC);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
#endif
    return arg;
}

int main(void) {
    int wrong = 0;
    pthread_t thread;
    (void)teller, (void)stamp, (void)ready, (void)thread;
#if defined(ATOMIC)
    pthread_create(&thread, NULL, teller, NULL);
    long then = told;
    wrong = then != 0 && now(CLOCK_MONOTONIC) < then;
    pthread_join(thread, NULL);
#elif defined(COND)
    pthread_create(&thread, NULL, teller, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    wrong = now(CLOCK_MONOTONIC) < stamp;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
#elif defined(EXPIRY)
    pthread_condattr_t attributes;
    pthread_cond_t other;
    struct timespec until;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&other, &attributes);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&mutex);
    wrong = pthread_cond_timedwait(&other, &mutex, &until) != ETIMEDOUT;
    pthread_mutex_unlock(&mutex);
    wrong |= now(CLOCK_MONOTONIC) < until.tv_sec * 1000000000L + until.tv_nsec;
    pthread_cond_destroy(&other);
#elif defined(LOCK)
    struct timespec until;
    pthread_create(&thread, NULL, teller, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT)
        wrong = now(CLOCK_REALTIME) < until.tv_sec * 1000000000L + until.tv_nsec;
    else
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
#endif
    return wrong;
}
