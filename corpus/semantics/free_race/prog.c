// free writes the whole block: a concurrent read of it races although it comes before the free.
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *reader(void *arg) {
    *(int *)arg = *block; // BUG: data-race heap-use-after-free
    return NULL;
}

static void *closer(void *arg) {
    (void)arg;
    free(block); // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int copy;
    block = malloc(sizeof *block);
    *block = 0;
    pthread_create(&a, NULL, reader, &copy);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
