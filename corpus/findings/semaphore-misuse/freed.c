// Posts a semaphore in a block that was freed.
#include <stdlib.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    sem_t *ready = malloc(sizeof *ready);
    sem_init(ready, 0, 0);
    free(ready);
    sem_post(ready); // BUG: heap-use-after-free
    return 0;
}
