// A robust mutex whose owner may end. A thread that locks it repairs what the dead owner has left. One that only
// tries to lock it takes every answer other than 0 for "busy" and goes away; but EOWNERDEAD means that it has the
// mutex now, and nobody unlocks it until that thread has ended, too, which waits for the others at a barrier.
#include <errno.h>
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t lock;
static pthread_barrier_t all_done;

static void *end_as_owner(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    make_noise();
    return unused;
}

static void lock_and_repair(void) {
    if (pthread_mutex_lock(&lock) == EOWNERDEAD) // BUG: deadlock
        pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
}

static void *use(void *unused) {
    make_noise();
    lock_and_repair();
    make_noise();
    pthread_barrier_wait(&all_done); // BUG: deadlock
    return unused;
}

static void *use_if_free(void *unused) {
    make_noise();
    int answer = pthread_mutex_trylock(&lock);
#ifdef CORRECT
    if (answer == EOWNERDEAD)
        answer = pthread_mutex_consistent(&lock);
#endif
    if (answer == 0)
        pthread_mutex_unlock(&lock);
    make_noise();
    pthread_barrier_wait(&all_done); // BUG: deadlock
    return unused;
}

int main(void) {
    pthread_t owner, users[USERS], other;
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    pthread_barrier_init(&all_done, NULL, USERS + 1);
    pthread_create(&owner, NULL, end_as_owner, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_create(&users[i], NULL, use, NULL);
    pthread_create(&other, NULL, use_if_free, NULL);
    pthread_join(owner, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i], NULL);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&all_done);
    pthread_mutex_destroy(&lock);
    return 0;
}
