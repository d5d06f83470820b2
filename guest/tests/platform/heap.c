// runs: 60
// memory-limit: 200000000
// flags: -O0 -D_GNU_SOURCE
// Sizes and alignments of every kind, contents kept by realloc, memory used again within the limit.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
static unsigned state = 12345;
static unsigned next(void) { return state = state * 1103515245 + 12345, state >> 8; }
static char *blocks[200];
static size_t sizes[200];
int main(void) {
    for (int i = 0; i < 3000; i++) {
        int k = next() % 200;
        if (blocks[k]) {
            for (size_t b = 0; b < sizes[k]; b += 1 + sizes[k] / 7) if (blocks[k][b] != (char)(k + 1)) return 1;
            if (next() % 2) { free(blocks[k]); blocks[k] = 0; continue; }
            size_t size = next() % 3 ? next() % 300 : next() % 200000, kept = size < sizes[k] ? size : sizes[k];
            blocks[k] = realloc(blocks[k], size ? size : 1);
            for (size_t b = 0; b < kept; b += 1 + kept / 7) if (blocks[k][b] != (char)(k + 1)) return 2;
            sizes[k] = size ? size : 1;
        } else {
            sizes[k] = 1 + (next() % 4 ? next() % 600 : next() % 70000);
            size_t align = 16u << next() % 9;
            blocks[k] = next() % 5 ? malloc(sizes[k]) : aligned_alloc(align, sizes[k]);
            if ((uintptr_t)blocks[k] % 16 || malloc_usable_size(blocks[k]) != sizes[k]) return 3;
        }
        memset(blocks[k], k + 1, sizes[k]);
    }
    for (int i = 0; i < 200; i++) free(blocks[i]);
    // One gigabyte in all, a little at a time.
    for (int i = 0; i < 1000; i++) { volatile char *p = malloc(1000000); p[0] = 1; free((void *)p); }
    for (int i = 0; i < 20000; i++) { volatile char *p = malloc(100); p[0] = 1; free((void *)p); }
    char *zero = calloc(1000, 1000);
    for (int i = 0; i < 1000000; i++) if (zero[i]) return 4;
    void *big;
    if (posix_memalign(&big, 1 << 20, 100) || (uintptr_t)big % (1 << 20)) return 5;
    if (posix_memalign(&big, 3, 100) != EINVAL) return 6;
    errno = 0;
    if (malloc(SIZE_MAX / 2 + 10) || errno != ENOMEM) return 7;
    if (calloc(SIZE_MAX, 2) || reallocarray(0, SIZE_MAX, 2)) return 8;
    free(0);
    printf("%p %p\n", zero, malloc(1));
    return 0;
}
