// A thread writes to memory that another one has taken from its stack, by alloca on some ways through the function only, and
// that has ended with the function; or that has not.
#include <alloca.h>
#include <pthread.h>
#include <stdatomic.h>

static int *_Atomic shown;
static pthread_t thread;

static void *writes(void *arg) {
    int *memory = atomic_load(&shown);
    if (memory)
        *memory = 1; // BUG: data-race BUG: stack-use-after-return
    return arg;
}

static __attribute__((noinline)) void shows(int size) {
    if (size > 3) {
        int *memory = alloca(size * sizeof *memory);
        *memory = 0;
        atomic_store(&shown, memory);
    }
#ifdef JOINS
    pthread_join(thread, NULL);
#endif
} // BUG: data-race

int main(void) {
    pthread_create(&thread, NULL, writes, NULL);
    shows(4);
#ifndef JOINS
    pthread_join(thread, NULL);
#endif
    return 0;
}
