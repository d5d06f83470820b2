// Atomics of every size, also sixteen bytes: two threads add, no update is lost.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar a;
static atomic_ushort b;
static atomic_uint c;
static atomic_ulong d;
static _Atomic __int128 e;

static void *thread(void *arg) {
    atomic_fetch_add(&a, 1);
    atomic_fetch_add(&b, 1);
    atomic_fetch_add(&c, 1);
    atomic_fetch_add(&d, 1);
    __int128 old = atomic_load(&e);
    while (!atomic_compare_exchange_strong(&e, &old, old + 1))
        ;
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread, NULL);
    pthread_create(&t2, NULL, thread, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return a + b + c + d == 8 && atomic_load(&e) == 2 ? 0 : 1;
}
