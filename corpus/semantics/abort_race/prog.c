// A thread aborts, but the race of the two others is there as well and must be found beside it.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *aborting(void *arg) {
    (void)arg;
    abort(); // BUG: abort
}

static void *writer(void *arg) {
    (void)arg;
    x = 1; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, aborting, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
