/* violated: what is written on the untaken path is read by a thread that went before. */
#include "common.h"

static FILE *made;

static void *a(void *p) {
  FILE *file = fopen("made", "r");
  if (file && fgetc(file) == 'x')
    x++;
  return p;
}
static void *b(void *p) {
  if (get(&g, &c)) {
    fputc('x', made);
    fflush(made);
  }
  return p;
}
static void *e(void *p) {
  set(&g, &c);
  x++;
  return p;
}
int main(void) {
  pthread_t threads[3];
  (void)h, (void)m, (void)d, (void)y, (void)locked;
  made = fopen("made", "w");
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  pthread_create(&threads[2], NULL, e, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  fclose(made);
  return 0;
}
