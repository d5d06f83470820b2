// pthread_once: the initialiser runs once, and whoever passes sees what it wrote.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, value;

static void initialise(void) {
    runs++;
    value = 7;
}

static void *thread(void *arg) {
    (void)arg;
    pthread_once(&once, initialise);
    assert(value == 7);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(runs == 1);
    return 0;
}
