// Has no error but two objects that are initialised and never destroyed.
#include <pthread.h>

static pthread_mutex_t lock;
static pthread_cond_t changed;

int main(void) {
  pthread_mutex_init(&lock, 0);
  pthread_cond_init(&changed, 0);
  return 0;
}
