// One thread frees what another one writes to: a race in one order, a use after free in the other.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(atomic_int *) box;

static void *user(void *unused) {
    atomic_int *content = box;
    *content = 1; // BUG: heap-use-after-free
    return unused;
}

static void *owner(void *unused) {
    free(box); // BUG: data-race
    return unused;
}

int main(void) {
    pthread_t a, b;
    box = calloc(1, sizeof(atomic_int));
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
