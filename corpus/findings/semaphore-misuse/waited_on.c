// Destroys a semaphore at which a thread may be waiting.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_wait(&ready); // BUG: semaphore-misuse
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    sem_destroy(&ready); // BUG: semaphore-misuse
    pthread_join(t, NULL);
    return 0;
}
