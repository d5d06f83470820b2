/* violated: the time depends on which threads have slept before. */
#include "common.h"

static time_t start;

static void *a(void *p) {
  pthread_mutex_lock(&g);
  pthread_mutex_unlock(&g);
  if (time(NULL) > start + 50)
    x++;
  return p;
}
static void *b(void *p) {
  pthread_mutex_lock(&g);
  sleep(100);
  pthread_mutex_unlock(&g);
  return p;
}
static void *e(void *p) {
  x++;
  return p;
}
int main(void) {
  pthread_t threads[3];
  (void)h, (void)m, (void)c, (void)d, (void)y, (void)get, (void)set, (void)locked;
  start = time(NULL);
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
