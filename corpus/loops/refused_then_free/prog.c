// Between the attempt in a round and the head of the loop there is another operation, with --plain-accesses all: the mutex
// may be given back there, and nobody gives it back again. So the loop is not parked.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned rounds;

static void *holder(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *tries(void *arg) {
    while (pthread_mutex_trylock(&mutex) != 0)
        rounds++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, holder, NULL);
    pthread_create(&threads[1], NULL, tries, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
