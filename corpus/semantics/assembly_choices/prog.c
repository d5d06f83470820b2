// Assembly whose instructions do not say which memory they touch: a bit number, a pointer that moves in a loop, a jump or
// a mask in a register decides. What it touches beyond its operands must not be taken for untouched.
#include <pthread.h>
#include <stdatomic.h>

static atomic_ulong words[4];

static void *writer(void *arg) {
#if defined BIT
    __asm__ volatile("lock btsq %1, %0" : "+m"(words[0]) : "r"(64L) : "memory");
#elif defined LOOP
    atomic_ulong *at = words;
    long left = 4;
    __asm__ volatile("1: orq $1, (%0)\n\tadd $8, %0\n\tdec %1\n\tjnz 1b" : "+r"(at), "+r"(left) : : "cc");
#elif defined JUMP
    __asm__ volatile("test %0, %0\n\tjz 1f\n\tmovq $1, (%1)\n\t1:" : : "r"(arg), "r"(&words[1]) : "cc");
#elif defined MASK
    __asm__ volatile("pcmpeqb %%xmm0, %%xmm0\n\tmaskmovdqu %%xmm0, %%xmm0" : : "D"(words) : "xmm0", "memory");
#elif defined FRAME
    register atomic_ulong *at __asm__("rbp") = &words[1];
    __asm__ volatile("movq $1, (%0)" : : "r"(at));
#else
    __asm__ volatile("lock btsq $0, %0" : "+m"(words[1]) : : "memory");
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, words);
    unsigned long first = words[1], second = words[1];
    pthread_join(t, NULL);
    return first > second;
}
