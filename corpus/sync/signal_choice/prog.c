// Two threads wait for different things on one condition variable; a signal may wake the one that cannot use it.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready[2];

static void *waiter(void *arg) {
    int me = (int)(intptr_t)arg;
    pthread_mutex_lock(&mutex);
    while (!ready[me])
        pthread_cond_wait(&changed, &mutex); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void announce(int whom) {
    pthread_mutex_lock(&mutex);
    ready[whom] = 1;
#ifdef BROADCAST
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)(intptr_t)i);
    announce(0);
    pthread_join(threads[0], NULL);
    announce(1);
    pthread_join(threads[1], NULL);
    return 0;
}
