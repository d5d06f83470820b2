// Requests that no machine can serve fail as they do everywhere; they are no use of too much memory.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    volatile size_t most = SIZE_MAX - 100;
    if (malloc(most) != NULL || errno != ENOMEM)
        return 1;
    errno = 0;
    if (calloc(most / 2, 8) != NULL || errno != ENOMEM)
        return 2;
    errno = 0;
    if (realloc(NULL, (size_t)1 << 62) != NULL || errno != ENOMEM)
        return 3;
    return 0;
}
