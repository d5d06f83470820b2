// A post for each of two waits.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    sem_wait(&ready);
    sem_wait(&ready);
    pthread_join(t, NULL);
    return 0;
}
