// Inline assembly: a memory operand is an access like any other; what nobody can see through has to be named.
#include <pthread.h>

static int x;

static void *assembler(void *arg) {
#ifdef OPAQUE
    int *p = &x;
    __asm__ volatile("movl $1, (%0)" : : "r"(p) : "memory");
#else
    __asm__ volatile("movl $1, %0" : "=m"(x)); // BUG: data-race
#endif
    return arg;
}

static void *writer(void *arg) {
    x = 2; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, assembler, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
