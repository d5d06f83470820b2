// THREADS threads take turns by number and share one condition variable. Who is done wakes one waiter, which may be one
// whose turn it is not; that one goes on waiting and wakes nobody.
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *take_turn(void *number) {
    make_noise();
    pthread_mutex_lock(&lock);
    while (turn != (int)(long)number)
        pthread_cond_wait(&changed, &lock); // BUG: deadlock
    turn++;
#ifdef CORRECT
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&lock);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_turn, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&changed);
    pthread_mutex_destroy(&lock);
    return 0;
}
