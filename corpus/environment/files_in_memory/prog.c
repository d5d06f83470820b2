// Files in memory: their descriptors are shared like those of any other file, and what they hold is the run's.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int file;

static void *thread(void *arg) {
#if defined(WRITES)
    assert(pwrite(file, "b", 1, 0) == 1);
#elif defined(OWN)
    int own = memfd_create("own", 0);
    assert(write(own, "b", 1) == 1);
    close(own);
#endif
    return arg;
}

static void check(void) {
    char first[2], second[3], again[2];
    struct iovec parts[2] = {{first, 2}, {second, 3}}, whole = {"xyz", 3};
    struct stat status;
    assert(fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 6 && status.st_nlink == 0);
    assert(preadv(file, parts, 2, 1) == 5 && memcmp(first, "bc", 2) == 0 && memcmp(second, "def", 3) == 0);
    assert(preadv(file, parts, 2, -1) == -1 && errno == EINVAL);
    assert(pwritev(file, &whole, 1, 4) == 3 && fstat(file, &status) == 0 && status.st_size == 7);
    assert(preadv2(file, parts, 1, 4, 0) == 2 && memcmp(first, "xy", 2) == 0);
    // Without a position of its own, as readv.
    assert(lseek(file, 0, SEEK_SET) == 0 && preadv2(file, parts, 1, -1, 0) == 2 && memcmp(first, "ab", 2) == 0);
    assert(pwritev2(file, &whole, 1, -1, 0) == 3 && pread(file, again, 2, 2) == 2 && memcmp(again, "xy", 2) == 0);
    char *mapped = mmap(NULL, 7, PROT_READ, MAP_SHARED, file, 0);
    assert(mapped != MAP_FAILED && mapped[0] == 'a');
    unsigned char resident;
#ifdef RESIDENT
    // Which pages are in memory, no run decides.
    mincore(mapped, 7, &resident);
#endif
    assert(mincore(mapped + 1, 6, &resident) == -1 && errno == EINVAL);
    assert(msync(mapped, 7, MS_SYNC) == 0 && msync(mapped + 1, 7, MS_SYNC) == -1 && errno == EINVAL);
    assert(msync(mapped, 7, MS_SYNC | MS_ASYNC) == -1 && errno == EINVAL);
    munmap(mapped, 7);
    assert(msync(mapped, 7, MS_ASYNC) == -1 && errno == ENOMEM);
    assert(mincore(mapped, 7, &resident) == -1 && errno == ENOMEM);
}

int main(void) {
    pthread_t other;
    file = memfd_create("file", MFD_CLOEXEC);
#ifdef CHECKS
    assert(memfd_create("name", 0) == file + 1);
    assert(write(file, "abcdef", 6) == 6);
    check();
    return 0;
#elif defined(SEALED)
    memfd_create("name", MFD_HUGETLB);
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined(WRITES)
    char found = 0;
    assert(pwrite(file, "a", 1, 0) == 1 && pread(file, &found, 1, 0) == 1);
    assert(found == 'a'); // BUG: assertion
#endif
    pthread_join(other, NULL);
    (void)check;
    return 0;
}
