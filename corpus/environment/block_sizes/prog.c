// malloc_usable_size asks the allocator, and reads none of the block's bytes: it races with free, not with writes.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *asks(void *argument) {
    return malloc_usable_size(block) >= 8 ? argument : NULL; // BUG: data-race
}

int main(void) {
    pthread_t thread;
    block = malloc(8);
    pthread_create(&thread, NULL, asks, NULL);
#ifdef FREES
    free(block); // BUG: data-race
    pthread_join(thread, NULL);
#else
    block[0] = 1;
    pthread_join(thread, NULL);
    free(block);
#endif
    return 0;
}
