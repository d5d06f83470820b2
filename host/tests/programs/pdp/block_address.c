/* violated: whether a block is made decides where the next one is, and its address is used as a number. */
#include "common.h"

static void *a(void *p) {
  char *first = get(&g, &c) ? NULL : malloc(16), *second = malloc(16);
  int number = (int)((uintptr_t)second >> 6 & 1);
  free(second);
  if (number == 0)
    x++;
  return first;
}
static void *b(void *p) {
  set(&g, &c);
  return p;
}
static void *e(void *p) {
  x++;
  return p;
}
MAIN
