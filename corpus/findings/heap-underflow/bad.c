// A thread uses what lies before a block of each kind: the first of an arena, a large one, an aligned one, one of a
// thread.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;

static void *use(void *unused) {
    (void)unused;
#ifdef OF_THREAD
    block = malloc(SIZE);
#endif
#ifdef COPY
    memset(block - 8, 1, 8); // BUG: heap-overflow(use)
#else
    block[-OFFSET] = 1; // BUG: heap-overflow(use)
#endif
    return NULL;
}

int main(void) {
    pthread_t thread;
#ifdef ALIGN
    block = aligned_alloc(ALIGN, SIZE);
#elif !defined OF_THREAD
    block = malloc(SIZE);
#endif
    pthread_create(&thread, NULL, use, NULL);
    pthread_join(thread, NULL);
    free(block); // BUG: heap-overflow(free)
    return 0;
}
