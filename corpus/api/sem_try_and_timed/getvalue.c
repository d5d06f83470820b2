// The count before or after the post of another thread.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    int count;
    sem_init(&ready, 0, 3);
    pthread_create(&t, NULL, thread, NULL);
    assert(sem_getvalue(&ready, &count) == 0);
    assert(count == 3 || count == 4);
    pthread_join(t, NULL);
    return 0;
}
