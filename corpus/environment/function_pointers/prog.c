// Memory functions of the C library that are called through a pointer access memory like those that are called by name.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char text[8];
static volatile char sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *(*volatile set)(void *, int, size_t) = memset;
static const struct {
    const char *name;
    void *(*copy)(void *, const void *, size_t);
} table[] = {{"memmove", memmove}, {"memcpy", memcpy}};

static void *thread(void *argument) {
#if defined SET
    set(text, 0, 8); // BUG: data-race
#elif defined COPY
    volatile int index = 1;
    table[index].copy(text, "abcdefg", 8); // BUG: data-race
#elif defined SMALL
    char *block = malloc(7);
    set(block, 0, 8); // BUG: heap-overflow
    free(block);
#elif defined LOCKED
    pthread_mutex_lock(&mutex);
    set(text, 0, 8);
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    (void)table;
    pthread_create(&other, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    sink = text[7]; // BUG: data-race
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    return 0;
}
