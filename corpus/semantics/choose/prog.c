// Every choice is explored, each together with every interleaving.
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *thread(void *arg) {
    (void)arg;
    atomic_fetch_add(&x, inspect_choose(3));
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
