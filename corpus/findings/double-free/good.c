// Whoever comes first takes the pointer with the block; freeing nothing is allowed.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *block;

static void *closer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    free(block);
    block = NULL;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    block = malloc(16);
    pthread_create(&a, NULL, closer, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
