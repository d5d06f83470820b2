/* What the programs here have in common: flags that are set and read under locks, and the data `x`. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, h = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int c, d, x, y;

static int get(pthread_mutex_t *lock, int *flag) {
  pthread_mutex_lock(lock);
  int value = *flag;
  pthread_mutex_unlock(lock);
  return value;
}

static void set(pthread_mutex_t *lock, int *flag) {
  pthread_mutex_lock(lock);
  *flag = 1;
  pthread_mutex_unlock(lock);
}

static void locked(pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  x++;
  pthread_mutex_unlock(lock);
}

/* Threads that run `a`, `b` and `e`; the first run lets them go in this order. */
#define MAIN                                      \
  int main(void) {                                \
    pthread_t threads[3];                         \
    (void)h, (void)m, (void)c, (void)d, (void)y;  \
    (void)get, (void)set, (void)locked;           \
    pthread_create(&threads[0], NULL, a, NULL);   \
    pthread_create(&threads[1], NULL, b, NULL);   \
    pthread_create(&threads[2], NULL, e, NULL);   \
    for (int i = 0; i < 3; i++)                   \
      pthread_join(threads[i], NULL);             \
    return 0;                                     \
  }
