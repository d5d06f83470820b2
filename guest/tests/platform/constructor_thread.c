// refused: a thread was created before main: it cannot be controlled
#include <pthread.h>
#include <unistd.h>
static void *work(void *argument) { for (;;) pause(); }
__attribute__((constructor)) static void first(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); }
int main(void) { return 0; }
