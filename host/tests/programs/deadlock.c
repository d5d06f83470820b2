// Two threads take two locks in opposite orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int accounts[2] = {100, 100};

static void *forward(void *unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  accounts[0] -= 10;
  accounts[1] += 10;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}

static void *backward(void *unused) {
  (void)unused;
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  accounts[1] -= 5;
  accounts[0] += 5;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, forward, 0);
  pthread_create(&second, 0, backward, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
