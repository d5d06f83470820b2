// A wait that is cancelled takes no unit, one that is not takes one; where both could end it, either does.
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
    int count;
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    sem_post(&semaphore);
    pthread_join(t, &result);
    sem_getvalue(&semaphore, &count);
    assert(count == (result == PTHREAD_CANCELED));
    sem_destroy(&semaphore);
    return 0;
}
