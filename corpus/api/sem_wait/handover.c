// A wait that can only go on after the post of the other thread, whose write it then sees.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int value;

static void *thread(void *arg) {
    value = 1;
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    sem_wait(&ready);
    assert(value == 1);
    pthread_join(t, NULL);
    sem_destroy(&ready);
    return 0;
}
