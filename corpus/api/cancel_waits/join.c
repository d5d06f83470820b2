// A cancelled join leaves the other thread to be joined.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t go;
static pthread_t worker;

static void *work(void *arg) {
    sem_wait(&go);
    return arg;
}

static void *wait_for_worker(void *arg) {
    pthread_join(worker, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    sem_init(&go, 0, 0);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&t, NULL, wait_for_worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    sem_post(&go);
    pthread_join(worker, NULL);
    sem_destroy(&go);
    return 0;
}
