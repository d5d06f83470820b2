// The same, freed after its last use.
#include <stdlib.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    for (int round = 0; round < 2; round++) {
        sem_t *ready = malloc(sizeof *ready);
        sem_init(ready, 0, 0);
        sem_post(ready);
        free(ready);
    }
    return 0;
}
