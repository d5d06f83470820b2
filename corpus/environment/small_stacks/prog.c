// A thread gets the stack that it asks for: a variable that does not fit shows, one that fits does not.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef ASKED
#define ASKED (64 << 10)
#endif

static void *fill(void *arg) {
    volatile char large[USED];
    for (size_t i = sizeof large; i > 0; i -= 64)
        large[i - 64] = (char)i; // BUG: crash
    assert(large[0] == 64);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_attr_t small;
    pthread_attr_init(&small);
    assert(pthread_attr_setstacksize(&small, ASKED) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], &small, fill, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
    return 0;
}
