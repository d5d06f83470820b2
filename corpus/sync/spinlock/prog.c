// A test-and-set spinlock. ACQUIRE and RELEASE are the memory orders of taking it and giving it back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ACQUIRE
#define ACQUIRE memory_order_acquire
#endif
#ifndef RELEASE
#define RELEASE memory_order_release
#endif

static atomic_int locked;
static int counter;

static void *thread(void *arg) {
    (void)arg;
    while (atomic_exchange_explicit(&locked, 1, ACQUIRE) != 0)
        ;
    counter++; // BUG: data-race
    atomic_store_explicit(&locked, 0, RELEASE);
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
