/* Locks make many interleavings; races on plain variables show only in some of them, one after the other, so that a search
   that makes racing locations visible begins anew in the middle, more than once. An assertion fails in some of them. */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns[3];
static int first, second;

static void *work(void *argument) {
    long me = (long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        turns[me]++;
        int seen = turns[(me + 1) % 3], other = turns[(me + 2) % 3];
        pthread_mutex_unlock(&lock);
        if (me == 0 && round == 0 && seen == ROUNDS)
            first++;
        if (me == 2 && round == 0 && other == ROUNDS)
            first++;
        if (me == 0 && round == 1 && other == ROUNDS)
            second++;
        if (me == 1 && round == 1 && seen == ROUNDS)
            second++;
    }
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(second < 2);
    return 0;
}
