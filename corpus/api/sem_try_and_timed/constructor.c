// A semaphore that a constructor of the program has initialised.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

__attribute__((constructor)) static void before_main(void) {
    sem_init(&ready, 0, 1);
}

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    sem_wait(&ready);
    sem_wait(&ready);
    pthread_join(t, NULL);
    return 0;
}
