// THREADS threads write down who came first and who came second. The program takes it for granted that the two created
// last do not come first of all, the last one before the other. No preemption is needed, just that order.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int come[THREADS], number;

static void *arrive(void *who) {
    make_noise();
    pthread_mutex_lock(&lock);
    come[number++] = (int)(long)who;
    pthread_mutex_unlock(&lock);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, arrive, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#ifdef CORRECT
    assert(come[0] != come[1]);
#else
    assert(come[0] != THREADS - 1 || come[1] != THREADS - 2); // BUG: assertion
#endif
    pthread_mutex_destroy(&lock);
    return 0;
}
