/* Rounds of two. P leaves round 0, perhaps long after R has met main in two further rounds. Nothing orders what P reads
   then after what R wrote between these. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int data, copy;
static atomic_int go;

static void *p(void *unused) {
    if (pthread_barrier_wait(&barrier) == 0)
        copy = data; // BUG: data-race
    return unused;
}

static void *r(void *unused) {
    while (!atomic_load_explicit(&go, memory_order_relaxed)) {
    }
    pthread_barrier_wait(&barrier);
    data = 1; // BUG: data-race
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&threads[0], 0, r, 0);
    pthread_create(&threads[1], 0, p, 0);
    pthread_barrier_wait(&barrier);
#ifdef JOINED
    pthread_join(threads[1], 0);
#endif
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pthread_join(threads[0], 0);
#ifndef JOINED
    pthread_join(threads[1], 0);
#endif
}
