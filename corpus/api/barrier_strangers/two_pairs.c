/* Rounds of two: A meets main, then C meets D. That A arrived before D orders nothing between them. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int data, copy;
static atomic_int serial, go;

static void *a(void *unused) {
    data = 1; // BUG: data-race
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *c(void *unused) {
    while (!atomic_load_explicit(&go, memory_order_relaxed)) {
    }
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *d(void *unused) {
    while (!atomic_load_explicit(&go, memory_order_relaxed)) {
    }
    pthread_barrier_wait(&barrier);
    if (atomic_load_explicit(&serial, memory_order_relaxed))
        copy = data; // BUG: data-race
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&threads[0], 0, a, 0);
    pthread_create(&threads[1], 0, c, 0);
    pthread_create(&threads[2], 0, d, 0);
    if (pthread_barrier_wait(&barrier))
        atomic_store_explicit(&serial, 1, memory_order_relaxed);
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
