// A parallel block compressor: workers take blocks of the input, compress them, and write them in the order of the input.
// The shape of bzip2smp, the program measured in the Inspect dissertation (tables 4.1, 5.1).
#ifndef COMPRESSOR_H
#define COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
// So many blocks may be finished before the one that is to be written next.
#ifndef WINDOW
#define WINDOW 2
#endif
// What is wrong: 0 nothing, 1 the position in the input is not locked, 2 a worker that has written a block wakes only one
// of those that wait for their turn.
#ifndef BUG
#define BUG 0
#endif

enum {
    BLOCK = 192,
    SHORT = 40,                              // the last block is not full
    INPUT = BLOCKS * BLOCK - SHORT,
    MOST_PACKED = BLOCK + BLOCK / 64 + 2,    // what the worst block grows to
    HEADER = 4,                              // of a block in the output: its packed and its plain size
};

// One block's compression. `pack` returns the packed size, `unpack` the plain one, or 0 if the input is damaged.
size_t pack(const unsigned char *plain, size_t size, unsigned char *packed);
size_t unpack(const unsigned char *packed, size_t size, unsigned char *plain, size_t most);

// The input.
struct block {
    unsigned number;
    size_t size;
    const unsigned char *plain;
    unsigned char packed[MOST_PACKED];
    size_t packed_size;
};
void input_open(const unsigned char *bytes, size_t size);
bool input_next(struct block *block);

// The output, a queue in the order of the blocks.
void output_put(struct block *block); // waits until the block is not too far ahead
size_t output_finish(const unsigned char **bytes);

#endif
