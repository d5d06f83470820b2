// Message passing: data, then a flag. PUBLISH and CONSUME are the memory orders of the flag's store and load;
// -DFENCES puts the ordering into fences instead.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUBLISH
#define PUBLISH memory_order_relaxed
#endif
#ifndef CONSUME
#define CONSUME memory_order_relaxed
#endif

static int data;
static atomic_int flag;

static void *sender(void *arg) {
    (void)arg;
    data = 42; // BUG: data-race
#ifdef FENCES
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, PUBLISH);
    return NULL;
}

static void *receiver(void *arg) {
    (void)arg;
    if (atomic_load_explicit(&flag, CONSUME)) {
#ifdef FENCES
        atomic_thread_fence(memory_order_acquire);
#endif
        if (data != 42) // BUG: data-race
            abort();
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
