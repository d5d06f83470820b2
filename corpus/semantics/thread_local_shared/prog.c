// A thread-local variable whose address another thread has is shared like any other.
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int mine;
static int *_Atomic published;

static void *owner(void *arg) {
    atomic_store(&published, &mine);
    mine = 1; // BUG: data-race
    while (atomic_load(&published) != NULL)
        ;
    return arg;
}

static void *other(void *arg) {
    int *theirs;
    while ((theirs = atomic_load(&published)) == NULL)
        ;
    *theirs = 2; // BUG: data-race
    atomic_store(&published, NULL);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
