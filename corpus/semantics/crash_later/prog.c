// A thread crashes in every run; the assertion of another thread fails only in some interleavings, and must be found.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *crashing(void *arg) {
    *(volatile int *)arg = 1; // BUG: crash
    return NULL;
}

static void *checker(void *arg) {
    (void)arg;
    assert(atomic_load(&x) == 0); // BUG: assertion
    return NULL;
}

static void *writer(void *arg) {
    (void)arg;
    atomic_store(&x, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, crashing, NULL);
    pthread_create(&threads[1], NULL, checker, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
