// A bug that needs the two threads to alternate at each of their five accesses. That takes three preemptions (the fourth
// switch leaves a thread that has ended): a bound of 2 cannot show it and must not claim its absence.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *checker(void *arg) {
    int first = atomic_load(&x);
    int second = atomic_load(&x);
    int third = atomic_load(&x);
    assert(!(first == 0 && second == 1 && third == 2)); // BUG: assertion
    return arg;
}

static void *writer(void *arg) {
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, checker, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
