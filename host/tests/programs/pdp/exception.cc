/* violated: whether an exception is thrown depends on shared data. */
#include "common.h"

static void check(int value) {
  get(&h, &d);
  if (value)
    throw 1;
}
static void *a(void *p) {
  int value = get(&g, &c);
  try {
    check(value);
  } catch (int) {
    x++;
  }
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
