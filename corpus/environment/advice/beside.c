// Advice about memory that another thread uses: that of which the call fails does not go, also for the race detector.
// DROPS: contents that go. FREES: contents that may go, which is not modelled of memory from before the run.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static _Alignas(PAGE) char memory[3 * PAGE];

static void *thread(void *argument) {
    memory[0] = 1;
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
#if defined FREES
    madvise(memory + PAGE, PAGE, MADV_FREE);
#elif defined DROPS
    madvise(memory, PAGE, MADV_DONTNEED); // BUG: data-race
#else
    assert(madvise(memory + 1, 10, MADV_DONTNEED) == -1 && errno == EINVAL);
    assert(madvise(memory, -(size_t)PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
    assert(munmap(memory + 1, PAGE) == -1 && errno == EINVAL);
    assert(mprotect(memory + 1, PAGE, PROT_NONE) == -1 && errno == EINVAL);
#endif
    pthread_join(other, NULL);
    return 0;
}
