/* violated: the file is created through a stream on the untaken path. */
#include "common.h"

static void *a(void *p) {
  FILE *file = fopen("made", "r");
  if (file)
    x++;
  return p;
}
static void *b(void *p) {
  FILE *file = NULL;
  if (get(&g, &c))
    file = fopen("made", "w");
  if (file)
    fclose(file);
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  x++;
  return p;
}
MAIN
