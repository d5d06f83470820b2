// refused: a thread was created before main: it cannot be controlled
// The loader calls this function before the program begins, as it calls the constructors of shared libraries.
#include <pthread.h>
#include <unistd.h>
static void *work(void *argument) { for (;;) pause(); }
static void first(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); }
__attribute__((section(".preinit_array"), used)) static void (*const called)(void) = first;
int main(void) { return 0; }
