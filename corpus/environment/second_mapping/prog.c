// A mapping gets larger, or its pages are mapped a second time (an old size of 0), which is not modelled: an access through
// one address would be none through the other.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#ifdef AGAIN
#define KIND MAP_SHARED
#else
#define KIND MAP_PRIVATE
#endif

enum { PAGE = 4096 };
static int *first, *second;

static void *writes(void *arg) {
    *second = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    first = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, KIND | MAP_ANONYMOUS, -1, 0);
#ifdef AGAIN
    second = mremap(first, 0, PAGE, MREMAP_MAYMOVE);
#else
    second = mremap(first, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
    first = second + PAGE / sizeof(int);
#endif
    pthread_create(&thread, NULL, writes, NULL);
    *first = 2;
    pthread_join(thread, NULL);
    return 0;
}
