/* Objects of shared memory, by name and by descriptor. */
#include "headers.h"

static char name[40], other[40];
static int object;
static char bytes[8];

static void begin(void) {
    snprintf(name, sizeof name, "/inspect-pairs-%d", getpid());
    snprintf(other, sizeof other, "/inspect-pairs-other-%d", getpid());
    object = shm_open(name, O_CREAT | O_RDWR, 0600);
    ftruncate(object, 400);
}

static long size(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) ? -1 : status.st_size;
}

static long end(void) {
    long sum = size(object) * 10;
    sum += (shm_unlink(name) == 0) * 2 + (shm_unlink(other) == 0);
    return sum;
}

static long mapped(void) {
    char *start = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, object, 0);
    if (start == MAP_FAILED)
        return -1;
    return start[0];
}

#define CALLS(CALL) \
    CALL(shm_open(name, O_RDWR, 0)) \
    CALL(shm_open(name, O_RDWR | O_CREAT, 0600)) \
    CALL(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600)) \
    CALL(shm_open(name, O_RDWR | O_TRUNC, 0600)) \
    CALL(shm_open(other, O_RDWR | O_CREAT, 0600)) \
    CALL(shm_open(other, O_RDWR | O_CREAT | O_EXCL, 0600)) \
    CALL(shm_open(other, O_RDWR, 0)) \
    CALL(size(shm_open(name, O_RDWR, 0))) \
    CALL(shm_unlink(name)) \
    CALL(shm_unlink(other)) \
    CALL(ftruncate(object, 100)) \
    CALL(ftruncate(object, 800)) \
    CALL(size(object)) \
    CALL(pread(object, bytes, 1, 300)) \
    CALL(pwrite(object, "a", 1, 0)) \
    CALL(pwrite(object, "a", 1, 900)) \
    CALL(read(object, bytes, 4)) \
    CALL(write(object, "abc", 3)) \
    CALL(lseek(object, 0, SEEK_END)) \
    CALL(lseek(object, 5, SEEK_SET)) \
    CALL(posix_fallocate(object, 0, 500)) \
    CALL(fchmod(object, 0400)) \
    CALL(mapped()) \
    CALL(close(object))

#include "driver.h"
