// THREADS threads hand units on by a semaphore. One of them looks first whether it can have two, and takes them one by
// one: another that does the same may take the second, and both wait.
#include <pthread.h>
#include <semaphore.h>

#include "../noise.h"

static sem_t units;

static void *take_two(void *unused) {
    make_noise();
    sem_wait(&units);
    sem_wait(&units); // BUG: deadlock
    sem_post(&units);
    sem_post(&units);
    make_noise();
    return unused;
}

static void *take_one(void *unused) {
    make_noise();
    sem_wait(&units);
    sem_post(&units);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
#ifdef CORRECT
    sem_init(&units, 0, 3);
#else
    sem_init(&units, 0, 2);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i == 0 || i == THREADS - 1 ? take_two : take_one, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&units);
    return 0;
}
