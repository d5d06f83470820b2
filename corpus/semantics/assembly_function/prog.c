// Functions made of assembly, into which the pass does not see: each has to be named.
#include <pthread.h>

int shared;

#ifdef NAKED
__attribute__((naked)) static void set(void) {
    __asm__("movl $1, shared(%rip); ret");
}
#else
void set(void);
__asm__(".text\n.globl set\nset: movl $1, shared(%rip)\n ret\n");
#endif

static void *thread(void *arg) {
    set();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    int seen = shared;
    pthread_join(t, NULL);
    return seen == 2;
}
