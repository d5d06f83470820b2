// Must be parked: each thread waits for its number.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, serving;
static int counter;

static void *adds(void *arg) {
    const int own = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != own)
        ;
    counter++;
    atomic_store(&serving, own + 1);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 2;
}
