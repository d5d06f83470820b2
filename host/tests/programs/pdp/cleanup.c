/* violated: the cleanup handler that runs when the thread ends reads how it ended. */
#include "common.h"

static void at_end(void *value) {
  if (!*(int *)value)
    x++;
}
static void *a(void *p) {
  int value = 0;
  pthread_cleanup_push(at_end, &value);
  if (get(&g, &c))
    pthread_exit(NULL);
  value = 1;
  pthread_cleanup_pop(1);
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
