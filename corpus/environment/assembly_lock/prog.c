// A lock made of inline assembly: an exchange takes it, and a store that the compiler must not move releases it.
#include <pthread.h>

static int lock, count;

static void acquire(void) {
    int value;
    do {
        value = 1;
        __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(lock) : : "memory");
    } while (value != 0);
}

static void release(void) {
    __asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
}

static void *thread(void *arg) {
    acquire();
    count++;
    release();
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    return count != 2;
}
