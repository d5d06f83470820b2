// Threads created by threads keep their identity in every interleaving.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *leaf(void *arg) {
    (void)arg;
    atomic_fetch_add(&x, 1);
    return NULL;
}

static void *branch(void *arg) {
    pthread_t t;
    atomic_fetch_add(&x, 1);
    pthread_create(&t, NULL, leaf, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, branch, NULL);
    pthread_create(&b, NULL, branch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
