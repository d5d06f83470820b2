// A recursion that ends far too late.
#include <pthread.h>

static int depth(volatile int *previous) { // BUG: crash
    volatile int here = *previous + 1; // BUG: crash
    return here < 0 ? 0 : depth(&here) + here; // BUG: crash
}

static void *thread(void *arg) {
    volatile int zero = 0;
    return depth(&zero) == 0 ? arg : 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
