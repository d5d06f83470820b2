// Nobody posts.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0);
    sem_wait(ready); // BUG: deadlock
    return 0;
}
