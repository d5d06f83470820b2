// With two units two threads are inside at a time, and their accesses race.
#include <pthread.h>
#include <semaphore.h>

static sem_t free_units;
static int count;

static void *first(void *arg) {
    sem_wait(&free_units);
    count++; // BUG: data-race
    sem_post(&free_units);
    return arg;
}

static void *second(void *arg) {
    sem_wait(&free_units);
    count++;
    sem_post(&free_units);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&free_units, 0, 2);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
