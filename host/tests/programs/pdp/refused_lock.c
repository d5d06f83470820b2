/* violated: whether the mutex may be locked depends on what the thread did with it before. */
#include "common.h"

static pthread_mutex_t careful;

static void *a(void *p) {
  if (get(&g, &c))
    pthread_mutex_lock(&careful);
  if (pthread_mutex_lock(&careful))
    x++;
  pthread_mutex_unlock(&careful);
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
  pthread_mutexattr_t kind;
  (void)d, (void)y, (void)h, (void)m, (void)locked;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&careful, &kind);
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
