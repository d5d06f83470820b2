// Must be parked: each of two pollers counts its rounds in an array that nobody reads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int flag;
static unsigned rounds[2];

static void *poller(void *arg) {
    intptr_t mine = (intptr_t)arg;
    while (!atomic_load(&flag))
        rounds[mine]++;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, poller, (void *)i);
    atomic_store(&flag, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
