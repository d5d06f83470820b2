// Two semaphores taken in opposite orders.
#include <pthread.h>
#include <semaphore.h>

static sem_t one, other;

static void *first(void *arg) {
    sem_wait(&one);
    sem_wait(&other); // BUG: deadlock
    sem_post(&other);
    sem_post(&one);
    return arg;
}

static void *second(void *arg) {
    sem_wait(&other);
    sem_wait(&one);
    sem_post(&one);
    sem_post(&other);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&one, 0, 1);
    sem_init(&other, 0, 1);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
