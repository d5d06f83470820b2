// Main holds something that the other thread waits for by WAIT, and gives it back. A wait with a time limit may have expired
// before. HOLD, GIVE and BACK (what the waiter does with what it got) say what it is.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t mtx;
static pthread_t holder;
static struct timespec later;

static void set_up(clockid_t clock) {
    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 0);
    mtx_init(&mtx, mtx_timed);
    clock_gettime(clock, &later);
    later.tv_sec += 60;
}

// The result of a semaphore's wait as that of the others.
static inline int number(int result) {
    return result == 0 ? 0 : errno;
}

static void *waiter(void *arg) {
    int result = WAIT;
    assert(result == 0 || result == EXPIRED);
    if (result == 0) {
        BACK;
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    set_up(CLOCK);
    HOLD;
    pthread_create(&thread, 0, waiter, 0);
    GIVE;
    pthread_join(thread, 0);
    pthread_spin_destroy(&spin);
    sem_destroy(&sem);
    mtx_destroy(&mtx);
    return 0;
}
