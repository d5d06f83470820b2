// The same after the thread has ended.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_wait(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    sem_post(&ready);
    pthread_join(t, NULL);
    sem_destroy(&ready);
    return 0;
}
