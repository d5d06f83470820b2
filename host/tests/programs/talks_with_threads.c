// Prints, and then starts threads one after the other; the last one aborts.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *argument) {
  if (argument)
    abort();
  return 0;
}

int main(void) {
  printf("before the threads\n");
  fflush(stdout);
  for (long i = 0; i < 40; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)(i / 39));
    pthread_join(thread, 0);
  }
  return 0;
}
