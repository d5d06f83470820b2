// Two threads that write in rounds to different elements of a shared array: sharr of the Inspect dissertation, table 4.1.
// The authors registered the array as one object. OBJECT=1 does that: the elements are the bytes of one atomic word, and
// each write to an element is an operation on the word.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 4
#endif
#ifndef OBJECT
#define OBJECT 0
#endif

enum { ELEMENTS = 8 };

#if OBJECT
static atomic_uint_fast64_t array;

static void increment(int element) {
    atomic_fetch_add(&array, (uint_fast64_t)1 << (8 * element));
}

static int value(int element) {
    return (int)(atomic_load(&array) >> (8 * element) & 255);
}
#else
static uint8_t array[ELEMENTS];

static void increment(int element) {
    array[element]++;
}

static int value(int element) {
    return array[element];
}
#endif

// Writes to every second element in turn: neighbours belong to different threads.
static void *writer(void *first) {
    for (int i = 0; i < ROUNDS; i++)
        increment((int)(intptr_t)first + 2 * i % ELEMENTS);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writer, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int sum = 0;
    for (int i = 0; i < ELEMENTS; i++)
        sum += value(i);
    assert(sum == 2 * ROUNDS);
    return 0;
}
