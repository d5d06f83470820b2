// A wait for a semaphore that was destroyed.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

int main(void) {
    sem_init(&ready, 0, 1);
    sem_destroy(&ready);
    sem_wait(&ready); // BUG: semaphore-misuse
    return 0;
}
