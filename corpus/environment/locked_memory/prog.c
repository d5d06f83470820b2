// Memory that is to stay resident: what can be seen of it is whether the range is mapped, and that it is not let go.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static char buffer[8192];

int main(void) {
  assert(mlock(buffer, 100) == 0 && munlock(buffer, 100) == 0);
  assert(mlock((void *)0x7000000, 1) == -1 && errno == ENOMEM);
  assert(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && munlockall() == 0);
  assert(mlockall(99) == -1 && errno == EINVAL);
  assert(getpgid(0) == getpgrp() && getsid(0) == getsid(getpid()));
#ifdef LET_GO
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(mlock(page, 4096) == 0);
  madvise(page, 4096, MADV_DONTNEED);
#endif
  return 0;
}
