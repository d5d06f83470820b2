/* violated: a jump to a computed place, in a function that began before. */
#include "common.h"

static void *a(void *p) {
  static void *places[2] = {&&end, &&other};
  get(&h, &d);
  goto *places[get(&g, &c)];
other:
  x++;
end:
  return p;
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
