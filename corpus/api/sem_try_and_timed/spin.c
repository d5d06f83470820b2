// A loop that tries until another thread has posted.
#include <sched.h>
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
    while (sem_trywait(&ready) != 0)
        sched_yield();
    pthread_join(t, NULL);
    return 0;
}
