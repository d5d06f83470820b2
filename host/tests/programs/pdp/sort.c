/* violated: a library function that calls the program back runs while other threads change what the order depends on. */
#include "common.h"

static int compare(const void *p, const void *q) {
  int reversed = get(&g, &c), difference = *(const int *)p - *(const int *)q;
  return reversed ? -difference : difference;
}
static void *a(void *p) {
  int values[2] = {1, 2};
  qsort(values, 2, sizeof(int), compare);
  if (values[0] == 2)
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
