// The output. Blocks arrive in any order; each is kept in a place of the window until those before it are there, and the
// worker that brings the one that is missing writes it and all that follow it. A worker whose block lies behind the window
// waits for its turn.
#include "compressor.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct {
        bool filled;
        size_t size, plain_size;
        unsigned char packed[MOST_PACKED];
    } window[WINDOW];
    unsigned next; // the number of the block to be written next
    unsigned char bytes[BLOCKS * (HEADER + MOST_PACKED)];
    size_t used;
} output = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void write_number(size_t number) {
    output.bytes[output.used++] = (unsigned char)number;
    output.bytes[output.used++] = (unsigned char)(number >> 8);
}

// Writes what can be written; the lock is held.
static void advance(void) {
    unsigned before = output.next;
    while (output.window[output.next % WINDOW].filled) {
        unsigned place = output.next % WINDOW;
        write_number(output.window[place].size);
        write_number(output.window[place].plain_size);
        memcpy(output.bytes + output.used, output.window[place].packed, output.window[place].size);
        output.used += output.window[place].size;
        output.window[place].filled = false;
        output.next++;
    }
    if (output.next == before)
        return;
    if (BUG == 2)
        pthread_cond_signal(&output.moved);
    else
        pthread_cond_broadcast(&output.moved);
}

void output_put(struct block *block) {
    pthread_mutex_lock(&output.lock);
    while (block->number >= output.next + WINDOW)
        pthread_cond_wait(&output.moved, &output.lock); // BUG: deadlock
    unsigned place = block->number % WINDOW;
    assert(!output.window[place].filled); // BUG: assertion
    memcpy(output.window[place].packed, block->packed, block->packed_size);
    output.window[place].size = block->packed_size;
    output.window[place].plain_size = block->size;
    output.window[place].filled = true;
    advance();
    pthread_mutex_unlock(&output.lock);
}

// All workers are gone: the length of the output, and where it is.
size_t output_finish(const unsigned char **bytes) {
    assert(output.next == BLOCKS); // BUG: assertion
    *bytes = output.bytes;
    return output.used;
}
