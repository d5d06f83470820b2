// The pointer is cleared with the block.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *user(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    if (block != NULL)
        *block = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

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
    block = malloc(sizeof *block);
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
