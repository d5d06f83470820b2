// The same, initialised first.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
