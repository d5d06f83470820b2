// Must not be parked: what the loop waits for is its own doing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *climber(void *arg) {
    while (atomic_load(&x) < 4)
        atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, climber, NULL);
    pthread_create(&b, NULL, climber, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
