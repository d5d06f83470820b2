// The compressor's threads, and the check that what they wrote unpacks to the input.
#include "compressor.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static unsigned char original[INPUT];

// Words and runs: something to find for the compressor, and in the last third not so much.
static void make_input(void) {
    static const char *const words[] = {"block ", "sort ", "move to front ", "huffman ", "aaaaaaaaaaaa"};
    unsigned state = 7;
    for (size_t at = 0; at < INPUT;) {
        state = state * 1103515245 + 12345;
        if (at > INPUT * 2 / 3) {
            original[at++] = (unsigned char)(state >> 16);
            continue;
        }
        const char *word = words[(state >> 16) % 5];
        for (size_t i = 0; word[i] && at < INPUT; i++)
            original[at++] = (unsigned char)word[i];
    }
}

static void *worker(void *arg) {
    (void)arg;
    struct block block;
    while (input_next(&block)) {
        block.packed_size = pack(block.plain, block.size, block.packed);
        assert(block.packed_size <= MOST_PACKED);
        output_put(&block);
    }
    return NULL;
}

static size_t read_number(const unsigned char *bytes) {
    return bytes[0] | (size_t)bytes[1] << 8;
}

// Unpacks the output block by block.
static void check(const unsigned char *bytes, size_t size) {
    size_t at = 0, plain = 0;
    while (at < size) {
        unsigned char block[BLOCK];
        size_t packed_size = read_number(bytes + at), plain_size = read_number(bytes + at + 2);
        at += HEADER;
        assert(at + packed_size <= size);
        size_t got = unpack(bytes + at, packed_size, block, sizeof block);
        assert(got == plain_size && plain + got <= INPUT);
        assert(memcmp(original + plain, block, got) == 0); // BUG: assertion
        at += packed_size;
        plain += got;
    }
    assert(plain == INPUT); // BUG: assertion
}

int main(void) {
    pthread_t workers[WORKERS];
    make_input();
    input_open(original, INPUT);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    const unsigned char *bytes;
    size_t size = output_finish(&bytes);
    assert(BUG || size < INPUT); // it is a compressor, after all
    check(bytes, size);
    return 0;
}
