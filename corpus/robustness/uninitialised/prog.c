// Reads memory that nobody has written: a heap block, a stack frame, a freed block's successor. What is there decides
// what the threads do; it must be the same in every run, in every mode and in a fresh process.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint x;

static unsigned heap_garbage(void) {
    unsigned *block = malloc(64), sum = 0;
    for (int i = 0; i < 16; i++)
        sum += ((volatile unsigned *)block)[i];
    free(block);
    return sum;
}

static __attribute__((noinline)) unsigned stack_garbage(void) {
    volatile unsigned frame[64];
    unsigned sum = 0;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuninitialized"
    for (int i = 0; i < 64; i++)
        sum += frame[i];
#pragma clang diagnostic pop
    return sum;
}

static void *thread(void *arg) {
    unsigned bits = heap_garbage() ^ stack_garbage();
    for (int i = 0; i < 4; i++) {
        if (bits >> i & 1)
            atomic_fetch_add(&x, 1);
        else
            (void)atomic_load(&x);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
