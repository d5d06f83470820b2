/* verified: every path to the end is protected, and the threads end by `pthread_exit`. */
#include "common.h"

static void *a(void *p) {
  if (get(&g, &c))
    locked(&m[0]);
  pthread_exit(p);
}
static void *b(void *p) {
  set(&g, &c);
  locked(&m[0]);
  pthread_exit(p);
}
static void *e(void *p) {
  get(&h, &d);
  pthread_exit(p);
}
MAIN
