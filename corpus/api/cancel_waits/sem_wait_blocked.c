// Only a request ends this wait.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *thread(void *arg) {
    sem_wait(&semaphore);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    sem_destroy(&semaphore);
    return 0;
}
