// The pointer is read once.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int storage;
static int *_Atomic shared = &storage;

static void *user(void *arg) {
    (void)arg;
    volatile int *p = atomic_load(&shared);
    if (p != NULL)
        *p = 1;
    return NULL;
}

static void *closer(void *arg) {
    (void)arg;
    atomic_store(&shared, NULL);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
