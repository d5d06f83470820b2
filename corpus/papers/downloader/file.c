// The contents of the file that is served.
#include "downloader.h"

unsigned char file_byte(size_t at) {
    unsigned mixed = (unsigned)at * 2654435761u;
    return (unsigned char)(mixed >> 24 ^ mixed >> 11 ^ at);
}

// Adler-32.
unsigned checksum(const unsigned char *bytes, size_t size) {
    unsigned a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}
