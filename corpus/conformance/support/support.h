// What else glibc's tests ask of their support.
#pragma once
#include "check.h"

static inline void *xmalloc(size_t size) {
    void *block = malloc(size);
    assert(block != NULL);
    return block;
}

static inline void *xcalloc(size_t count, size_t size) {
    void *block = calloc(count, size);
    assert(block != NULL);
    return block;
}

static inline void *xposix_memalign(size_t alignment, size_t size) {
    void *block;
    int error = posix_memalign(&block, alignment, size);
    assert(error == 0);
    return block;
}
