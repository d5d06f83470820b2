/* verified: untaken paths print, and nothing but the output depends on it. */
#include "common.h"

static void *a(void *p) {
  if (get(&g, &c))
    printf("%s\n", "there");
  return p;
}
static void *b(void *p) {
  set(&g, &c);
  if (get(&h, &d))
    fprintf(stderr, "never\n");
  return p;
}
static void *e(void *p) { return p; }
MAIN
