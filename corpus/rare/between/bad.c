// A thread moves one unit from one account to another in two steps. THREADS others look at both accounts; only the one
// created last minds if a unit is missing. So it has to look between the two steps, whatever the others do.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

#ifndef THREADS
#define THREADS 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here = 1, there;

static void *move(void *unused) {
    (void)unused;
    make_noise();
    pthread_mutex_lock(&lock);
    here--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    there++;
    pthread_mutex_unlock(&lock);
    make_noise();
    return NULL;
}

static void *look(void *minds) {
    make_noise();
    pthread_mutex_lock(&lock);
    int sum = here + there;
    pthread_mutex_unlock(&lock);
    assert(!minds || sum == 1); // BUG: assertion
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t mover, lookers[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&lookers[i], NULL, look, i == THREADS - 1 ? (void *)1 : NULL);
    pthread_create(&mover, NULL, move, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(lookers[i], NULL);
    pthread_join(mover, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
