// A thread uses an object while main destroys it: a misuse, whichever comes first. With a second argument main waits for the
// thread before. The first argument says which call.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t mtx, own_mtx;
static cnd_t cnd;
static int which;

static void *use(void *argument) {
    struct timespec later = {2000000000, 0};
    int value;
    switch (which) {
    case 0:
        if (pthread_mutex_lock(&mutex) == 0) pthread_mutex_unlock(&mutex); // BUG: mutex-uninitialized
        break;
    case 1:
        if (pthread_mutex_trylock(&mutex) == 0) pthread_mutex_unlock(&mutex); // BUG: mutex-uninitialized
        break;
    case 2:
        if (pthread_mutex_timedlock(&mutex, &later) == 0) pthread_mutex_unlock(&mutex); // BUG: mutex-uninitialized
        break;
    case 3:
        if (pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &later) == 0) pthread_mutex_unlock(&mutex); // BUG: mutex-uninitialized
        break;
    case 4:
        pthread_mutex_destroy(&mutex); // BUG: double-destroy
        break;
    case 5:
        pthread_mutex_init(&mutex, 0); // BUG: double-init mutex-not-destroyed
        break;
    case 6:
        pthread_cond_signal(&cond); // BUG: cond-uninitialized
        break;
    case 7:
        pthread_cond_broadcast(&cond); // BUG: cond-uninitialized
        break;
    case 8:
        pthread_mutex_lock(&own), pthread_cond_timedwait(&cond, &own, &later), pthread_mutex_unlock(&own); // BUG: cond-uninitialized
        break;
    case 9:
        pthread_mutex_lock(&own), pthread_cond_clockwait(&cond, &own, CLOCK_REALTIME, &later), pthread_mutex_unlock(&own); // BUG: cond-uninitialized
        break;
    case 10:
        pthread_mutex_lock(&own), pthread_cond_wait(&cond, &own), pthread_mutex_unlock(&own); // BUG: cond-uninitialized
        break;
    case 11:
        pthread_cond_destroy(&cond); // BUG: double-destroy
        break;
    case 12:
        pthread_cond_init(&cond, 0); // BUG: cond-not-destroyed double-init
        break;
    case 13:
        if (pthread_rwlock_rdlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 14:
        if (pthread_rwlock_tryrdlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 15:
        if (pthread_rwlock_timedrdlock(&rwlock, &later) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 16:
        if (pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &later) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 17:
        if (pthread_rwlock_wrlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 18:
        if (pthread_rwlock_trywrlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 19:
        if (pthread_rwlock_timedwrlock(&rwlock, &later) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 20:
        if (pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &later) == 0) pthread_rwlock_unlock(&rwlock); // BUG: rwlock-misuse
        break;
    case 21:
        pthread_rwlock_destroy(&rwlock); // BUG: double-destroy
        break;
    case 22:
        pthread_rwlock_init(&rwlock, 0); // BUG: double-init
        break;
    case 23:
        pthread_barrier_wait(&barrier); // BUG: barrier-misuse
        break;
    case 24:
        pthread_barrier_destroy(&barrier); // BUG: double-destroy
        break;
    case 25:
        pthread_barrier_init(&barrier, 0, 1); // BUG: double-init
        break;
    case 26:
        if (pthread_spin_lock(&spin) == 0) pthread_spin_unlock(&spin); // BUG: mutex-uninitialized
        break;
    case 27:
        if (pthread_spin_trylock(&spin) == 0) pthread_spin_unlock(&spin); // BUG: mutex-uninitialized
        break;
    case 28:
        pthread_spin_destroy(&spin); // BUG: double-destroy
        break;
    case 29:
        pthread_spin_init(&spin, 0);
        break;
    case 30:
        sem_wait(&sem); // BUG: semaphore-misuse
        break;
    case 31:
        sem_trywait(&sem); // BUG: semaphore-misuse
        break;
    case 32:
        sem_timedwait(&sem, &later); // BUG: semaphore-misuse
        break;
    case 33:
        sem_clockwait(&sem, CLOCK_REALTIME, &later); // BUG: semaphore-misuse
        break;
    case 34:
        sem_post(&sem); // BUG: semaphore-misuse
        break;
    case 35:
        sem_getvalue(&sem, &value); // BUG: semaphore-misuse
        break;
    case 36:
        sem_destroy(&sem); // BUG: double-destroy
        break;
    case 37:
        sem_init(&sem, 0, 1); // BUG: double-init
        break;
    case 38:
        if (mtx_lock(&mtx) == thrd_success) mtx_unlock(&mtx); // BUG: mutex-uninitialized
        break;
    case 39:
        if (mtx_trylock(&mtx) == thrd_success) mtx_unlock(&mtx); // BUG: mutex-uninitialized
        break;
    case 40:
        if (mtx_timedlock(&mtx, &later) == thrd_success) mtx_unlock(&mtx); // BUG: mutex-uninitialized
        break;
    case 41:
        mtx_destroy(&mtx); // BUG: double-destroy
        break;
    case 42:
        mtx_init(&mtx, mtx_timed); // BUG: double-init mutex-not-destroyed
        break;
    case 43:
        cnd_signal(&cnd); // BUG: cond-uninitialized
        break;
    case 44:
        cnd_broadcast(&cnd); // BUG: cond-uninitialized
        break;
    case 45:
        cnd_destroy(&cnd); // BUG: double-destroy
        break;
    case 46:
        cnd_init(&cnd); // BUG: cond-not-destroyed double-init
        break;
    case 47:
        mtx_lock(&own_mtx), cnd_timedwait(&cnd, &own_mtx, &later), mtx_unlock(&own_mtx); // BUG: cond-uninitialized
        break;
    }
    (void)later, (void)value;
    return argument;
}

static void change(int ends) {
    if (which < 6) {
        ends ? (void)pthread_mutex_destroy(&mutex) : (void)pthread_mutex_init(&mutex, 0);
    } else if (which < 13) {
        ends ? (void)pthread_cond_destroy(&cond) : (void)pthread_cond_init(&cond, 0);
    } else if (which < 23) {
        ends ? (void)pthread_rwlock_destroy(&rwlock) : (void)pthread_rwlock_init(&rwlock, 0);
    } else if (which < 26) {
        ends ? (void)pthread_barrier_destroy(&barrier) : (void)pthread_barrier_init(&barrier, 0, 1);
    } else if (which < 30) {
        ends ? (void)pthread_spin_destroy(&spin) : (void)pthread_spin_init(&spin, 0);
    } else if (which < 38) {
        ends ? (void)sem_destroy(&sem) : (void)sem_init(&sem, 0, 1);
    } else if (which < 43) {
        ends ? (void)mtx_destroy(&mtx) : (void)mtx_init(&mtx, mtx_timed);
    } else {
        ends ? (void)cnd_destroy(&cnd) : (void)cnd_init(&cnd);
    }
}

int main(int argc, char **argv) {
    pthread_t thread;
    which = atoi(argv[1]);
    mtx_init(&own_mtx, mtx_timed); // BUG: mutex-not-destroyed
    change(0);
    pthread_create(&thread, 0, use, 0);
    if (argc > 2) {
        pthread_join(thread, 0);
    }
    change(1);
    if (argc == 2) {
        pthread_join(thread, 0);
    }
    mtx_destroy(&own_mtx);
    return 0;
}
