// A semaphore is used after it was closed, while its name still leads to it.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 1);
    sem_close(ready);
    sem_wait(ready); // BUG: heap-use-after-free
    return 0;
}
