// SEATS philosophers take the fork at their left, then the one at their right: all are stuck if each has taken one.
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t forks[SEATS];

static void *dine(void *seat) {
    make_noise();
    int left = (int)(long)seat, right = (left + 1) % SEATS;
#ifdef CORRECT
    if (right < left) {
        right = left;
        left = 0;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]); // BUG: deadlock
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_destroy(&forks[i]);
    return 0;
}
