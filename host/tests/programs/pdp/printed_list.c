/* violated: text is reached through a va_list on the untaken path. */
#include "common.h"
#include <stdarg.h>

static char text[8] = "abc";

static void note(const char *format, ...) {
  va_list list;
  char line[20];
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
}
static void *a(void *p) {
  if (get(&g, &c))
    note("%s", text);
  return p;
}
static void *b(void *p) {
  set(&g, &c);
  return p;
}
static void *e(void *p) {
  text[0] = 'x';
  return p;
}
MAIN
