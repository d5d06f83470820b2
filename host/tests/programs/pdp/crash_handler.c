/* inconclusive: only an execution that is left out crashes, and a handler would run there. */
#include "common.h"
#include <signal.h>

static int target, *where = &target;
static void handler(int signal) {
  x++;
  _exit(signal);
}
static void *a(void *p) {
  pthread_mutex_lock(&g);
  int *to = where;
  pthread_mutex_unlock(&g);
  *to = 1;
  return p;
}
static void *b(void *p) {
  pthread_mutex_lock(&g);
  where = NULL;
  pthread_mutex_unlock(&g);
  return p;
}
static void *e(void *p) {
  x++;
  return p;
}
int main(void) {
  pthread_t threads[3];
  (void)d, (void)y, (void)h, (void)m, (void)get, (void)set, (void)locked, (void)c;
  signal(SIGSEGV, handler);
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
