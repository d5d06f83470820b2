// The input: a position that the workers move on.
#include "compressor.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    const unsigned char *bytes;
    size_t size, position;
    unsigned number;
} input = {.lock = PTHREAD_MUTEX_INITIALIZER};

void input_open(const unsigned char *bytes, size_t size) {
    input.bytes = bytes;
    input.size = size;
}

// The next block; false at the end.
bool input_next(struct block *block) {
    if (BUG != 1)
        pthread_mutex_lock(&input.lock);
    size_t left = input.size - input.position; // BUG: data-race
    block->size = left < BLOCK ? left : BLOCK;
    block->plain = input.bytes + input.position;
    block->number = input.number; // BUG: data-race
    if (left > 0) {
        input.position += block->size; // BUG: data-race
        input.number++; // BUG: data-race
    }
    if (BUG != 1)
        pthread_mutex_unlock(&input.lock);
    return left > 0;
}
