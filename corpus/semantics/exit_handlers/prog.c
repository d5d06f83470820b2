// Exit handlers run inside the run: one of them looks at what the threads did.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int last;

static void handler(void) {
    if (atomic_load(&last) == 2)
        abort(); // BUG: abort
}

static void *store(void *arg) {
    atomic_store(&last, arg == NULL ? 1 : 2);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    atexit(handler);
    pthread_create(&a, NULL, store, NULL);
    pthread_create(&b, NULL, store, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
