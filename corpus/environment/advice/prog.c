// Advice about memory and files that the system refuses, and some that it takes.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Alignas(4096) char global[3 * 4096];

static int advise(void *start, size_t size, int advice) {
    errno = 0;
    return madvise(start, size, advice) == 0 ? 0 : errno;
}

static void of_memory(void) {
    char *mapped = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(mapped != MAP_FAILED);
    char *const places[] = {global, mapped};
    for (int at = 0; at < 2; at++) {
        char *place = places[at];
        place[1] = 7;
        assert(advise(place, 4096, MADV_NORMAL) == 0);
        assert(advise(place, 10, MADV_SEQUENTIAL) == 0);
        assert(advise(place, 0, MADV_RANDOM) == 0);
        assert(advise(place + 1, 10, MADV_NORMAL) == EINVAL);
        assert(advise(place, 4096, 999) == EINVAL);
        assert(advise(place, (size_t)-1, MADV_NORMAL) == EINVAL);
        assert(posix_madvise(place + 1, 10, POSIX_MADV_NORMAL) == EINVAL);
        assert(posix_madvise(place, 10, 99) == EINVAL);
        assert(place[1] == 7);
    }
    munmap(mapped, 2 * 4096);
    assert(advise(mapped, 4096, MADV_NORMAL) == ENOMEM);
}

static void of_files(void) {
    int file = memfd_create("file", 0), ends[2];
    assert(file >= 0 && pipe(ends) == 0);
    assert(posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL) == 0);
    assert(posix_fadvise(file, 0, 0, 99) == EINVAL);
    assert(posix_fadvise(file, 0, -1, POSIX_FADV_NORMAL) == EINVAL);
    assert(posix_fadvise(ends[0], 0, 0, POSIX_FADV_NORMAL) == ESPIPE);
    assert(posix_fadvise(1000, 0, 0, POSIX_FADV_NORMAL) == EBADF);
    close(file);
    assert(posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL) == EBADF);
}

int main(void) {
    of_memory();
    of_files();
    return 0;
}
