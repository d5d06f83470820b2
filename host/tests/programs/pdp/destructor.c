/* violated: the destructor that runs when the thread ends reads how it ended. */
#include "common.h"

static pthread_key_t key;

static void at_end(void *value) {
  if (!*(int *)value)
    x++;
}
static void *a(void *p) {
  static int value;
  pthread_setspecific(key, &value);
  if (get(&g, &c))
    pthread_exit(NULL);
  value = 1;
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
int main(void) {
  pthread_t threads[3];
  (void)d, (void)y, (void)h, (void)m, (void)locked;
  pthread_key_create(&key, at_end);
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
