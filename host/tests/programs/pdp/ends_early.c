/* violated: the thread ends early, and what it would have done before its end is read by threads created later. */
#include "common.h"

static int flag;

static void *a(void *p) {
  if (get(&g, &c))
    pthread_exit(NULL);
  flag = 1;
  return p;
}
static void *b(void *p) {
  if (!flag)
    x++;
  return p;
}
static void *e(void *p) {
  x++;
  return p;
}
static void *other(void *p) {
  set(&g, &c);
  return p;
}
int main(void) {
  pthread_t threads[4];
  (void)h, (void)m, (void)d, (void)y, (void)locked;
  pthread_create(&threads[1], NULL, a, NULL);
  pthread_create(&threads[0], NULL, other, NULL);
  pthread_join(threads[1], NULL);
  pthread_create(&threads[2], NULL, b, NULL);
  pthread_create(&threads[3], NULL, e, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[2], NULL);
  pthread_join(threads[3], NULL);
  return 0;
}
