// A run of two hundred thousand visible operations.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *thread(void *arg) {
    for (int i = 0; i < 100 * 1000; i++) {
        atomic_fetch_add(&x, 1);
        (void)atomic_load(&x);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
