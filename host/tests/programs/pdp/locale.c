/* violated: what is printed on the untaken path depends on what another thread sets in the C library. */
#include "common.h"
#include <locale.h>

static void *a(void *p) {
  setlocale(LC_ALL, "C");
  return p;
}
static void *b(void *p) {
  char line[20];
  if (get(&g, &c))
    snprintf(line, sizeof line, "%d", 3);
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  return p;
}
MAIN
