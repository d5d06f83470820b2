// A thread that has ended and was not joined can be cancelled, without an effect.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t over;

static void *thread(void *arg) {
    sem_post(&over);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    sem_init(&over, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    sem_wait(&over);
    assert(pthread_cancel(t) == 0);
    pthread_join(t, &result);
    assert(result == NULL);
    sem_destroy(&over);
    return 0;
}
