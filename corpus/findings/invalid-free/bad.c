// A pointer into the middle of a block is freed if the other thread has moved it.
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
    atomic_store(&position, (char *)malloc(8));
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    free(atomic_load(&position)); // BUG: invalid-free
    return 0;
}
