// Prints, and then starts threads one after the other, and locks again and again; the last thread aborts.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 40
#endif
#ifndef LOCKS
#define LOCKS 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
  for (int i = 0; i < LOCKS; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (argument)
    abort();
  return 0;
}

int main(void) {
  printf("before the threads\n");
  fflush(stdout);
  for (long i = 0; i < THREADS; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)(long)(i == THREADS - 1));
    pthread_join(thread, 0);
  }
  return 0;
}
