// Two threads lock the same two mutexes in the same order in all of PHASES phases but one each, in which one of them
// takes them the other way round.
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void both(pthread_mutex_t *outer, pthread_mutex_t *inner) {
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner); // BUG: deadlock
    work++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *straight(void *unused) {
    make_noise();
    for (int i = 0; i < PHASES; i++)
        both(&one, &other);
    make_noise();
    return unused;
}

static void *crossed(void *unused) {
    make_noise();
    for (int i = 0; i < PHASES; i++) {
#ifndef CORRECT
        if (i == PHASES / 2) {
            both(&other, &one);
            continue;
        }
#endif
        both(&one, &other);
    }
    make_noise();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, straight, NULL);
    pthread_create(&threads[1], NULL, crossed, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_mutex_destroy(&one);
    pthread_mutex_destroy(&other);
    return 0;
}
