// Lets something decide that nobody controls: how long the process has been running, by the processor's own counter.
#include <pthread.h>
#include <stdatomic.h>
#include <x86intrin.h>

static atomic_int x, y;

static void *thread(void *arg) {
    for (int i = 0; i < 8; i++) {
        if (__rdtsc() >> 6 & 1)
            atomic_fetch_add(&x, 1);
        else
            atomic_fetch_add(&y, 1);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
