/* violated: the thread ends before it joins another one, and the thread that joins it relies on that join. */
#include "common.h"

static pthread_t thread;

static void *b(void *p) {
  x++;
  return p;
}
static void *a(void *p) {
  if (get(&g, &c))
    pthread_exit(NULL);
  pthread_join(thread, NULL);
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  return p;
}
int main(void) {
  pthread_t threads[2];
  (void)h, (void)m, (void)d, (void)y, (void)locked;
  pthread_create(&thread, NULL, b, NULL);
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, e, NULL);
  pthread_join(threads[0], NULL);
  x++;
  pthread_join(threads[1], NULL);
  return 0;
}
