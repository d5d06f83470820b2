// System calls that must succeed, by the names that glibc's tests use.
#pragma once
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static inline pid_t xfork(void) {
    pid_t child = fork();
    assert(child >= 0);
    return child;
}

static inline pid_t xwaitpid(pid_t child, int *status, int options) {
    pid_t ended = waitpid(child, status, options);
    assert(ended >= 0);
    return ended;
}

static inline void xpipe(int ends[2]) {
    int error = pipe(ends);
    assert(error == 0);
}

static inline void xclose(int descriptor) {
    int error = close(descriptor);
    assert(error == 0);
}

static inline void xwrite(int descriptor, const void *bytes, size_t size) {
    ssize_t written = write(descriptor, bytes, size);
    assert(written == (ssize_t)size);
}

static inline void xread(int descriptor, void *bytes, size_t size) {
    ssize_t got = read(descriptor, bytes, size);
    assert(got == (ssize_t)size);
}

static inline int xopen(const char *path, int flags, mode_t mode) {
    int descriptor = open(path, flags, mode);
    assert(descriptor >= 0);
    return descriptor;
}

static inline void *xmmap(void *at, size_t size, int protection, int flags, int descriptor) {
    void *mapping = mmap(at, size, protection, flags, descriptor, 0);
    assert(mapping != MAP_FAILED);
    return mapping;
}

static inline void xmunmap(void *at, size_t size) {
    int error = munmap(at, size);
    assert(error == 0);
}

static inline long xsysconf(int name) {
    return sysconf(name);
}
