// setjmp writes where it is told, longjmp reads that: two threads cannot share a jump buffer without taking turns.
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf shared;

static void *thread(void *argument) {
#ifdef OWN
    jmp_buf own;
#else
#define own shared
#endif
    if (setjmp(own) == 0) // BUG: data-race
        longjmp(own, 1); // BUG: data-race
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    return 0;
}
