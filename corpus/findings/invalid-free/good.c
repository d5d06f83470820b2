// The start of the block is kept.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char *_Atomic position;

static void *reader(void *arg) {
    (void)arg;
    atomic_fetch_add(&position, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char *start = malloc(8);
    atomic_store(&position, start);
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    free(start);
    return 0;
}
