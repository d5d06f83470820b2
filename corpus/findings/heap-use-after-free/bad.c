// A block that one thread frees under the mutex and the other one still uses under the mutex: no data race, but an
// order in which the use comes last.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *user(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    *block = 1; // BUG: heap-use-after-free
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *closer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    free(block);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    block = malloc(sizeof *block);
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
