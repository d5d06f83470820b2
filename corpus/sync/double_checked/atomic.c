// Double-checked locking done right: release publication, acquire check. With -DACQUIRE=memory_order_relaxed the contents
// race although no interleaving shows it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ACQUIRE
#define ACQUIRE memory_order_acquire
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *_Atomic instance;
static int storage;

static int *get(void) {
    int *seen = atomic_load_explicit(&instance, ACQUIRE);
    if (seen == NULL) {
        pthread_mutex_lock(&mutex);
        seen = atomic_load_explicit(&instance, memory_order_relaxed);
        if (seen == NULL) {
            storage = 42; // BUG: data-race
            seen = &storage;
            atomic_store_explicit(&instance, seen, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return seen;
}

static void *user(void *arg) {
    (void)arg;
    if (*get() != 42) // BUG: data-race
        abort();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
