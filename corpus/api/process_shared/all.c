// Each kind of object with the attribute that processes may share it, used by one process.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    int shared;
    pthread_mutex_t mutex;
    pthread_mutexattr_t of_mutex;
    pthread_mutexattr_init(&of_mutex);
    assert(pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_mutexattr_getpshared(&of_mutex, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
    assert(pthread_mutex_init(&mutex, &of_mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);

    pthread_cond_t cond;
    pthread_condattr_t of_cond;
    pthread_condattr_init(&of_cond);
    assert(pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_cond_init(&cond, &of_cond) == 0);
    assert(pthread_cond_signal(&cond) == 0 && pthread_cond_destroy(&cond) == 0);

    pthread_rwlock_t rwlock;
    pthread_rwlockattr_t of_rwlock;
    pthread_rwlockattr_init(&of_rwlock);
    assert(pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_rwlock_init(&rwlock, &of_rwlock) == 0);
    assert(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    assert(pthread_rwlock_destroy(&rwlock) == 0);

    pthread_barrier_t barrier;
    pthread_barrierattr_t of_barrier;
    pthread_barrierattr_init(&of_barrier);
    assert(pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_barrier_init(&barrier, &of_barrier, 1) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_destroy(&barrier) == 0);

    pthread_spinlock_t spin;
    assert(pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_spin_lock(&spin) == 0 && pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);

    sem_t semaphore;
    assert(sem_init(&semaphore, 1, 1) == 0 && sem_wait(&semaphore) == 0 && sem_destroy(&semaphore) == 0);
    return 0;
}
