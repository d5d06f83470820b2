// The first bytes of each block are used.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;

static void *use(void *unused) {
    (void)unused;
    block[0] = 1;
    memset(block, 1, 8);
    return NULL;
}

int main(void) {
    pthread_t thread;
    block = SIZE < 1000 ? malloc(SIZE) : aligned_alloc(8192, SIZE);
    pthread_create(&thread, NULL, use, NULL);
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
