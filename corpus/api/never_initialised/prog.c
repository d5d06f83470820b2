// Every call on a synchronisation object that nothing has initialised: zeros on the heap or on a stack (STACK), or bytes that are
// no object at all (FILL). With an argument, one of the calls that wait for ever then.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#ifndef FILL
#define FILL 0
#endif
#define OBJECTS 64
#define NEXT (objects++)

union object {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    pthread_once_t once;
    once_flag flag;
    sem_t sem;
    mtx_t mtx;
    cnd_t cnd;
};

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mtx_t locked;
static const struct timespec past = {1, 0};

static void initialises(void) {
}

static void locks(union object *objects) {
    int value;
    pthread_mutex_lock(&NEXT->mutex);                                    // BUG: mutex-uninitialized(lock)
    pthread_mutex_trylock(&NEXT->mutex);                                 // BUG: mutex-uninitialized(trylock)
    pthread_mutex_timedlock(&NEXT->mutex, &past);                        // BUG: mutex-uninitialized(timedlock)
    pthread_mutex_clocklock(&NEXT->mutex, CLOCK_MONOTONIC, &past);       // BUG: mutex-uninitialized(clocklock)
    pthread_mutex_unlock(&NEXT->mutex);                                  // BUG: mutex-uninitialized(unlock) unlock-not-owner
    pthread_mutex_consistent(&NEXT->mutex);                              // BUG: mutex-uninitialized(consistent)
    pthread_mutex_getprioceiling(&NEXT->mutex, &value);                  // BUG: mutex-uninitialized(getprioceiling)
    pthread_mutex_setprioceiling(&NEXT->mutex, 1, &value);               // BUG: mutex-uninitialized(setprioceiling)
    pthread_mutex_destroy(&NEXT->mutex);                                 // BUG: mutex-uninitialized(destroy)
    mtx_lock(&NEXT->mtx);                                                // BUG: mutex-uninitialized(mtx_lock)
    mtx_trylock(&NEXT->mtx);                                             // BUG: mutex-uninitialized(mtx_trylock)
    mtx_timedlock(&NEXT->mtx, &past);                                    // BUG: mutex-uninitialized(mtx_timedlock)
    mtx_unlock(&NEXT->mtx);                                              // BUG: mutex-uninitialized(mtx_unlock) unlock-not-owner
    mtx_destroy(&NEXT->mtx);                                             // BUG: mutex-uninitialized(mtx_destroy)
    pthread_spin_lock(&NEXT->spin);                                      // BUG: mutex-uninitialized(spin_lock)
    pthread_spin_trylock(&NEXT->spin);                                   // BUG: mutex-uninitialized(spin_trylock)
    pthread_spin_unlock(&NEXT->spin);                                    // BUG: mutex-uninitialized(spin_unlock) unlock-not-owner
    pthread_spin_destroy(&NEXT->spin);                                   // BUG: mutex-uninitialized(spin_destroy)
    pthread_rwlock_rdlock(&NEXT->rwlock);                                // BUG: rwlock-misuse(rdlock)
    pthread_rwlock_wrlock(&NEXT->rwlock);                                // BUG: rwlock-misuse(wrlock)
    pthread_rwlock_tryrdlock(&NEXT->rwlock);                             // BUG: rwlock-misuse(tryrdlock)
    pthread_rwlock_trywrlock(&NEXT->rwlock);                             // BUG: rwlock-misuse(trywrlock)
    pthread_rwlock_timedrdlock(&NEXT->rwlock, &past);                    // BUG: rwlock-misuse(timedrdlock)
    pthread_rwlock_timedwrlock(&NEXT->rwlock, &past);                    // BUG: rwlock-misuse(timedwrlock)
    pthread_rwlock_clockrdlock(&NEXT->rwlock, CLOCK_MONOTONIC, &past);   // BUG: rwlock-misuse(clockrdlock)
    pthread_rwlock_clockwrlock(&NEXT->rwlock, CLOCK_MONOTONIC, &past);   // BUG: rwlock-misuse(clockwrlock)
    pthread_rwlock_unlock(&NEXT->rwlock);                                // BUG: rwlock-misuse(rwlock_unlock)
    pthread_rwlock_destroy(&NEXT->rwlock);                               // BUG: rwlock-misuse(rwlock_destroy)
}

static void others(union object *objects) {
    int value;
    pthread_mutex_lock(&held);
    mtx_lock(&locked);
    pthread_cond_timedwait(&NEXT->cond, &held, &past);                   // BUG: cond-uninitialized(timedwait)
    pthread_cond_clockwait(&NEXT->cond, &held, CLOCK_MONOTONIC, &past);  // BUG: cond-uninitialized(clockwait)
    pthread_cond_signal(&NEXT->cond);                                    // BUG: cond-uninitialized(signal)
    pthread_cond_broadcast(&NEXT->cond);                                 // BUG: cond-uninitialized(broadcast)
    pthread_cond_destroy(&NEXT->cond);                                   // BUG: cond-uninitialized(cond_destroy)
    cnd_timedwait(&NEXT->cnd, &locked, &past);                           // BUG: cond-uninitialized(cnd_timedwait)
    cnd_signal(&NEXT->cnd);                                              // BUG: cond-uninitialized(cnd_signal)
    cnd_broadcast(&NEXT->cnd);                                           // BUG: cond-uninitialized(cnd_broadcast)
    cnd_destroy(&NEXT->cnd);                                             // BUG: cond-uninitialized(cnd_destroy)
    // Where the bytes say that the mutex is no normal one, a wait asks who holds it before it begins.
    pthread_cond_timedwait(&cond, &NEXT->mutex, &past);                  // BUG: cond-wait-unlocked mutex-uninitialized(with)
    mtx_unlock(&locked);
    pthread_mutex_unlock(&held);
    pthread_barrier_destroy(&NEXT->barrier);                             // BUG: barrier-misuse(barrier_destroy)
    sem_trywait(&NEXT->sem);                                             // BUG: semaphore-misuse(trywait)
    sem_timedwait(&NEXT->sem, &past);                                    // BUG: semaphore-misuse(sem_timedwait)
    sem_clockwait(&NEXT->sem, CLOCK_MONOTONIC, &past);                   // BUG: semaphore-misuse(sem_clockwait)
    sem_post(&NEXT->sem);                                                // BUG: semaphore-misuse(post)
    sem_getvalue(&NEXT->sem, &value);                                    // BUG: semaphore-misuse(getvalue)
    sem_destroy(&NEXT->sem);                                             // BUG: semaphore-misuse(sem_destroy)
}

static void waits(const char *call, union object *object) {
    pthread_mutex_lock(&held);
    mtx_lock(&locked);
    if (strcmp(call, "pthread_cond_wait") == 0) {
        pthread_cond_wait(&object->cond, &held); // BUG: cond-uninitialized deadlock
    } else if (strcmp(call, "cnd_wait") == 0) {
        cnd_wait(&object->cnd, &locked); // BUG: cond-uninitialized deadlock
    } else if (strcmp(call, "pthread_barrier_wait") == 0) {
        pthread_barrier_wait(&object->barrier); // BUG: barrier-misuse deadlock
    } else if (strcmp(call, "sem_wait") == 0) {
        sem_wait(&object->sem); // BUG: semaphore-misuse deadlock
    } else if (strcmp(call, "pthread_once") == 0) {
        pthread_once(&object->once, initialises);
    } else {
        call_once(&object->flag, initialises);
    }
    mtx_unlock(&locked);
    pthread_mutex_unlock(&held);
}

int main(int argc, char **argv) {
#ifdef STACK
    union object local[OBJECTS], *objects = local;
#else
    union object *objects = malloc(OBJECTS * sizeof *objects);
#endif
    memset(objects, FILL, OBJECTS * sizeof *objects);
    mtx_init(&locked, mtx_plain);
    if (argc > 1) {
        waits(argv[1], objects);
    } else {
        locks(objects);
        others(objects + OBJECTS / 2);
    }
    mtx_destroy(&locked);
    return 0;
}
