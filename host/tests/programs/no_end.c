// No execution comes to its end within the limit: one thread waits for the other, which counts under a lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned stop, rounds;

static void *spin(void *unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    unsigned over = stop; ++rounds;
    pthread_mutex_unlock(&lock);
    if (over || rounds == 1000000) return unused;
  }
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, spin, 0);
  pthread_join(thread, 0);
  return 0;
}
