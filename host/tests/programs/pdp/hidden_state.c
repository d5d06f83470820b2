/* violated: the untaken path uses state that the C library hides. */
#include "common.h"

static void *a(void *p) {
  y = (int)lrand48();
  return p;
}
static void *b(void *p) {
  if (get(&g, &c))
    d = (int)lrand48();
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  return p;
}
MAIN
