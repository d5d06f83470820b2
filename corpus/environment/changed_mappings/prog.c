// Changes of mappings beside another thread: which of the two calls fails depends on their order. What is not modelled
// is named as what it is.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096

static char *pages;
static int result;

static void *change(void *unused) {
  result = mprotect(pages, PAGE, PROT_READ | PROT_WRITE);
  return unused;
}

int main(void) {
  pthread_t thread;
  pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef MOVE
  mremap(pages, PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, pages + 64 * PAGE);
#endif
#ifdef HEAP
  char *block = aligned_alloc(PAGE, PAGE);
  mprotect(block, PAGE, PROT_READ);
#endif
  pthread_create(&thread, NULL, change, NULL);
#ifdef WAITS
  pthread_join(thread, NULL);
  munmap(pages, PAGE);
#else
#ifdef APART
  munmap(pages + PAGE, PAGE);
#else
  munmap(pages, PAGE);
#endif
  pthread_join(thread, NULL);
#endif
#ifdef FAILS
  assert(result == 0); // BUG: assertion(fails)
#elif defined SUCCEEDS
  assert(result != 0); // BUG: assertion(succeeds)
#endif
  return 0;
}
