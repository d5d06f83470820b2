// A thread waits in a loop that sleeps in each round, and somebody reads a clock afterwards. How much time has passed then
// depends on how often the loop goes round, of which only one number is explored.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static atomic_int ready, aside;
static sem_t unit;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long start;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void *waiter(void *unused) {
#if defined SEMAPHORE
    while (sem_trywait(&unit))
        sleep(1);
#elif defined MUTEX
    while (pthread_mutex_trylock(&mutex))
        sleep(1);
    pthread_mutex_unlock(&mutex);
#elif defined C11
    while (!ready)
        thrd_sleep(&(struct timespec){ .tv_sec = 1 }, NULL);
#elif defined POLL
    while (!ready)
        poll(NULL, 0, 1000);
#elif defined ALARM
    alarm(100);
    while (!ready)
        sleep(1);
    assert(alarm(0) >= 99);
#elif defined YIELD
    while (!ready)
        sched_yield();
#elif defined DEADLINE
    while (!ready && now() < start + 3)
        sleep(1);
#elif defined COUNTED
    for (int rounds = 0; !ready && rounds < 3; rounds++)
        sleep(1);
#elif defined LAST_TIME
    while (!ready) {
        sleep(1);
        assert(now() - start < 2); // BUG: assertion
    }
#else
    while (!ready)
        sleep(1);
#endif
#ifdef PASSED_ON
    aside = 1;
#endif
#ifdef READ_BY_WAITER
    assert(now() - start < LIMIT); // BUG: assertion(late)
#endif
    return unused;
}

static void *setter(void *unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    sem_post(&unit);
    pthread_mutex_unlock(&mutex);
#ifdef READ_BY_SETTER
    assert(now() - start < 2);
#endif
#ifdef PASSED_ON
    if (aside)
        assert(now() - start < 2);
#endif
#ifdef WRONG
    assert(!ready); // BUG: assertion(wrong)
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&unit, 0, 0);
    start = now();
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[0], NULL);
#ifdef READ_BY_MAIN
    assert(now() - start < 2);
#endif
}
