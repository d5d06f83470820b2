// Alignments that are no power of two: memalign takes the next one, the others fail. Of aligned_alloc that is what C17 says,
// and the C library from version 2.38 on.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    void *block = memalign(24, 48), *other = memalign(0, 8), *place = NULL;
    assert(block && (uintptr_t)block % 32 == 0 && other);
    free(block);
    free(other);
    errno = 0;
    assert(!memalign(SIZE_MAX / 2 + 2, 8) && errno == EINVAL);
    assert(posix_memalign(&place, 24, 48) == EINVAL && !place);
    errno = 0;
    assert(!aligned_alloc(24, 48) && errno == EINVAL);
    return 0;
}
