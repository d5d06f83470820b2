// Sleeping orders nothing, however long.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x;

static void *quick(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

static void *slow(void *arg) {
    sleep(3600);
    assert(atomic_load(&x) == 1); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, quick, NULL);
    pthread_create(&b, NULL, slow, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
