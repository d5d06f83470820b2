// Relies on the other thread to post before the time is over.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0};
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    assert(sem_timedwait(&ready, &soon) == 0); // BUG: assertion
    pthread_join(t, NULL);
    return 0;
}
