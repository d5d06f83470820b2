/* violated: the file is created on the untaken path, and the thread that looks for it went before. */
#include "common.h"
#include <fcntl.h>

static void *a(void *p) {
  int file = open("made", O_RDONLY);
  if (file >= 0)
    x++;
  return p;
}
static void *b(void *p) {
  if (get(&g, &c))
    close(open("made", O_CREAT | O_RDWR, 0644));
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  x++;
  return p;
}
MAIN
