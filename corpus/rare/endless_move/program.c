// A thread polls a flag that nobody sets, and counts. Another one moves a unit from one account to another in two steps; READERS
// look at both accounts, and the one created last minds if the unit is missing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here = 1, there;
static atomic_int stopped;
static atomic_uint polls;

static void *poll_flag(void *unused) {
    while (!atomic_load(&stopped) && atomic_fetch_add(&polls, 1) != 4000000000u)
        ;
    return unused;
}

static void *move(void *unused) {
    pthread_mutex_lock(&lock);
    here--;
#ifndef CORRECT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    there++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *minds) {
    pthread_mutex_lock(&lock);
    int sum = here + there;
    pthread_mutex_unlock(&lock);
    assert(!minds || sum == 1); // BUG: assertion
    return NULL;
}

int main(void) {
    pthread_t polling, moving, readers[READERS];
    pthread_create(&polling, NULL, poll_flag, NULL);
    for (long i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, look, i == READERS - 1 ? (void *)1 : NULL);
    pthread_create(&moving, NULL, move, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(moving, NULL);
    pthread_join(polling, NULL);
    return 0;
}
