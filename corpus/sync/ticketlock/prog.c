// A ticket lock: a thread draws a number and waits until it is called.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_uint next_ticket, now_serving;
static int counter;

static void lock(void) {
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
}

static void unlock(void) {
    unsigned served = atomic_load_explicit(&now_serving, memory_order_relaxed);
    atomic_store_explicit(&now_serving, served + 1, memory_order_release);
}

static void *thread(void *arg) {
    (void)arg;
    lock();
    counter++;
    unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
