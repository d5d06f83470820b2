// strtok goes on with a string that it was given before. Where there was none, the C library reads from address 0.
#include <pthread.h>
#include <string.h>

static char text[] = "a b";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take_first(void *unused) {
  pthread_mutex_lock(&mutex);
  strtok(text, " ");
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
#ifdef ALONE
  strtok(NULL, " "); // BUG: crash(alone)
#else
  pthread_t thread;
  pthread_create(&thread, NULL, take_first, NULL);
#ifdef WAITS
  pthread_join(thread, NULL);
#endif
  pthread_mutex_lock(&mutex);
  strtok(NULL, " "); // BUG: crash
  pthread_mutex_unlock(&mutex);
#ifndef WAITS
  pthread_join(thread, NULL);
#endif
#endif
  return 0;
}
