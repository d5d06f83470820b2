/* violated: the function is called through a pointer before the lock is taken, and decides afterwards. */
#include "common.h"

static int first(void) {
  get(&h, &d);
  return get(&g, &c);
}
static int second(void) { return 0; }
int (*functions[2])(void) = {first, second};
static int (*volatile chosen)(void) = first;
static void *a(void *p) {
  if (functions[chosen != first]())
    x++;
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
