/* violated: a value is passed as a variadic argument. */
#include "common.h"
#include <stdarg.h>

static int last(int count, ...) {
  va_list list;
  int value = 0;
  va_start(list, count);
  while (count--)
    value = va_arg(list, int);
  va_end(list);
  return value;
}
static void *a(void *p) {
  if (last(2, 0, get(&g, &c)))
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
