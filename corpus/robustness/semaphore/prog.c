// Uses a semaphore; what is not modelled has to be named.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *poster(void *arg) {
    sem_post(&semaphore);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, 0, poster, 0);
    sem_wait(&semaphore);
    pthread_join(t, 0);
    sem_destroy(&semaphore);
    return 0;
}
