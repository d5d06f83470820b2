// Looks at a count that another thread is about to change.
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
    sem_getvalue(&ready, &count);
    assert(count == 3); // BUG: assertion
    pthread_join(t, NULL);
    return 0;
}
