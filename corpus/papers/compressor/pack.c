// LZ77 for small blocks. The packed form is a sequence of items: a byte below 64 is a run of that many plus one literal
// bytes, which follow; any other byte is a copy of (byte >> 2) - 13 bytes, 3 to 50, whose distance is the byte's low two
// bits and the next byte.
#include "compressor.h"

#include <string.h>

enum { LEAST = 3, MOST = 50, FARTHEST = 1023, MOST_LITERALS = 64, BUCKETS = 128, NOWHERE = -1 };

static unsigned bucket_of(const unsigned char *at) {
    return (at[0] * 33u + at[1] * 7u + at[2] * 129u) % BUCKETS;
}

static size_t common(const unsigned char *a, const unsigned char *b, size_t most) {
    size_t length = 0;
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

// Writes the literals that have piled up.
static size_t flush(const unsigned char *literals, size_t count, unsigned char *packed) {
    size_t used = 0;
    while (count > 0) {
        size_t run = count < MOST_LITERALS ? count : MOST_LITERALS;
        packed[used++] = (unsigned char)(run - 1);
        memcpy(packed + used, literals, run);
        used += run;
        literals += run;
        count -= run;
    }
    return used;
}

size_t pack(const unsigned char *plain, size_t size, unsigned char *packed) {
    short latest[BUCKETS]; // where a bucket's three bytes were seen last
    for (int i = 0; i < BUCKETS; i++)
        latest[i] = NOWHERE;
    size_t at = 0, pending = 0, used = 0;
    while (at < size) {
        size_t length = 0, distance = 0;
        if (at + LEAST <= size) {
            short *bucket = &latest[bucket_of(plain + at)];
            if (*bucket != NOWHERE && at - (size_t)*bucket <= FARTHEST) {
                distance = at - (size_t)*bucket;
                length = common(plain + at, plain + at - distance, size - at < MOST ? size - at : MOST);
            }
            *bucket = (short)at;
        }
        if (length < LEAST) {
            at++;
            pending++;
            continue;
        }
        used += flush(plain + at - pending, pending, packed + used);
        pending = 0;
        packed[used++] = (unsigned char)((length + 13) << 2 | distance >> 8);
        packed[used++] = (unsigned char)distance;
        at += length;
    }
    return used + flush(plain + at - pending, pending, packed + used);
}

size_t unpack(const unsigned char *packed, size_t size, unsigned char *plain, size_t most) {
    size_t at = 0, used = 0;
    while (at < size) {
        unsigned item = packed[at++];
        if (item < MOST_LITERALS) {
            size_t run = item + 1;
            if (at + run > size || used + run > most)
                return 0;
            memcpy(plain + used, packed + at, run);
            at += run;
            used += run;
            continue;
        }
        if (at == size)
            return 0;
        size_t length = (item >> 2) - 13, distance = (item & 3) << 8 | packed[at++];
        if (distance == 0 || distance > used || used + length > most)
            return 0;
        for (size_t i = 0; i < length; i++, used++)
            plain[used] = plain[used - distance]; // may overlap: a run of equal bytes is a copy at distance 1
    }
    return used;
}
