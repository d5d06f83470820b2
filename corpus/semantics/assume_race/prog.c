// A failed assumption stops its own thread only: the race of the two others must still be found.
#include <inspect.h>
#include <pthread.h>

static int x;

static void *doubtful(void *arg) {
    (void)arg;
    inspect_assume(0);
    return NULL;
}

static void *writer(void *arg) {
    (void)arg;
    x = 1; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, doubtful, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
