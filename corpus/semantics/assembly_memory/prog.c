// Assembly says by its instructions which memory it touches, not by the types of its operands: it names a variable
// itself, reads more bytes than its operand has, or reaches memory through a pointer in a register.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

union whole {
    unsigned long all;
    atomic_uint half[2];
};

union whole value;

static void *writer(void *arg) {
#if defined NAMED
    __asm__("movl $1, value+4(%rip)");
#elif defined REGISTER
    __asm__ volatile("movl $1, 4(%0)" : : "r"(arg) : "memory");
#else
    value.half[1] = 1;
#endif
    return arg;
}

static unsigned long read_all(const void *at) {
    unsigned long all;
    __asm__ volatile("movq %1, %0" : "=r"(all) : "m"(*(const char *)at) : "memory");
    return all;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, &value);
    unsigned long first = read_all(&value), second = read_all(&value);
    pthread_join(t, NULL);
    assert(first == second); // BUG: assertion
    return 0;
}
