/* violated: only the number of the error shows that the file exists. */
#include "common.h"
#include <fcntl.h>

static void *a(void *p) {
  errno = 0;
  close(open("made", O_RDONLY));
  if (errno == 0)
    x++;
  return p;
}
static void *b(void *p) {
  close(open("made", O_CREAT | O_RDWR, 0644));
  return p;
}
static void *e(void *p) {
  x++;
  return p;
}
MAIN
