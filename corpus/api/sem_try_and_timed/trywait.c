// A trywait takes the unit that another thread posts, or fails with EAGAIN.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    assert(sem_trywait(&ready) == 0 || errno == EAGAIN);
    pthread_join(t, NULL);
    return 0;
}
