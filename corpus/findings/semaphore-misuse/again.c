// The same, initialised again.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

int main(void) {
    sem_init(&ready, 0, 1);
    sem_destroy(&ready);
    sem_init(&ready, 0, 1);
    sem_wait(&ready);
    sem_destroy(&ready);
    return 0;
}
