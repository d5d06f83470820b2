// Two posts where there is room for one: one of them fails, whichever comes second.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int results[2];

static void *first(void *arg) {
    results[0] = sem_post(&full);
    return arg;
}

static void *second(void *arg) {
    results[1] = sem_post(&full);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&full, 0, INT_MAX - 1);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(results[0] + results[1] == -1);
    return 0;
}
