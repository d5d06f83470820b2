/* violated: which file is opened depends on shared data. */
#include "common.h"
#include <fcntl.h>

static void *a(void *p) {
  char name[8];
  int value = get(&g, &c);
  snprintf(name, sizeof name, "made%d", value);
  close(open(name, O_CREAT | O_RDWR, 0644));
  return p;
}
static void *b(void *p) {
  set(&g, &c);
  return p;
}
static void *other(void *p) {
  x++;
  return p;
}
static void *e(void *p) {
  if (access("made1", F_OK) == 0)
    x++;
  return p;
}
int main(void) {
  pthread_t threads[4];
  (void)h, (void)m, (void)d, (void)y, (void)locked;
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  pthread_create(&threads[3], NULL, other, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
