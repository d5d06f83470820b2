// An atomic and a plain access to one variable race like two plain ones.
#include <pthread.h>
#include <stdatomic.h>

static int x;

static void *careful(void *arg) {
    (void)arg;
    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); // BUG: data-race
    return NULL;
}

static void *careless(void *arg) {
    *(int *)arg = x; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int copy;
    pthread_create(&a, NULL, careful, NULL);
    pthread_create(&b, NULL, careless, &copy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
