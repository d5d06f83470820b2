// TAKERS threads wait for a unit each; one more only borrows a unit if one comes in time, and may be told to leave.
// Each unit wakes one waiter. If the borrower is woken and told before it runs, it leaves without the unit and does
// not wake another waiter, although a unit is there.
#include <pthread.h>
#include <time.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int units, leaves, borrowed;

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    while (units == 0)
        pthread_cond_wait(&given, &lock); // BUG: deadlock
    units--;
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *borrow(void *unused) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    pthread_mutex_lock(&lock);
    if (units == 0)
        pthread_cond_timedwait(&given, &lock, &end);
    if (!leaves && units > 0)
        borrowed++;
#ifndef CORRECT
    if (!leaves)
#endif
        pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *give(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    units++;
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *tell(void *unused) {
    for (int i = 0; i < LATER; i++)
        make_noise();
    pthread_mutex_lock(&lock);
    leaves = 1;
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t takers[TAKERS], givers[TAKERS], borrower, telling;
    pthread_create(&borrower, NULL, borrow, NULL);
    for (int i = 0; i < TAKERS; i++) {
        pthread_create(&takers[i], NULL, take, NULL);
        pthread_create(&givers[i], NULL, give, NULL);
    }
    pthread_create(&telling, NULL, tell, NULL);
    for (int i = 0; i < TAKERS; i++) {
        pthread_join(takers[i], NULL);
        pthread_join(givers[i], NULL);
    }
    pthread_join(borrower, NULL);
    pthread_join(telling, NULL);
    return 0;
}
