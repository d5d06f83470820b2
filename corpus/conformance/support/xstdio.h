// Streams that must be had, by the names that glibc's tests use.
#pragma once
#include "check.h"

static inline FILE *xfopen(const char *path, const char *mode) {
    FILE *stream = fopen(path, mode);
    assert(stream != NULL);
    return stream;
}

static inline void xfclose(FILE *stream) {
    int error = fclose(stream);
    assert(error == 0);
}
