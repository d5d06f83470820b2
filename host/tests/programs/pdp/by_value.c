/* violated: a value is passed in a structure by value. */
#include "common.h"

struct large {
  int values[20];
};

static void use(struct large copy) {
  if (copy.values[3])
    x++;
}
static void *a(void *p) {
  struct large all = {{0}};
  all.values[3] = get(&g, &c);
  use(all);
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
