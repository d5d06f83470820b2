// Prints what it reads from uninitialised memory, on the heap and on the stacks of two threads, and fails.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *what, volatile unsigned *words, int count) {
    printf("%s", what);
    for (int i = 0; i < count; i++)
        printf(" %x", words[i]);
    printf("\n");
    fflush(stdout);
}

static __attribute__((noinline)) void frame(void) {
    volatile unsigned words[64];
    show("stack", words, 64);
}

static void *thread(void *arg) {
    unsigned *block = malloc(64);
    pthread_mutex_lock(&mutex);
    show("heap", block, 16);
    frame();
    pthread_mutex_unlock(&mutex);
    free(block);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    frame();
    assert(0 && "the last thing it does");
    return 0;
}
