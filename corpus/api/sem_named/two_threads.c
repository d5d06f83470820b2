// Two threads open the same name, one of them posts and the other one waits.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int value;

static void *thread(void *arg) {
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0);
    value = 1;
    sem_post(ready);
    sem_close(ready);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0);
    assert(ready != SEM_FAILED);
    sem_wait(ready);
    assert(value == 1);
    pthread_join(t, NULL);
    assert(sem_close(ready) == 0 && sem_unlink("/ready") == 0);
    return 0;
}
