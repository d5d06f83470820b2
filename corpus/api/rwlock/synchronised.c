// The same with the first one as a writer, whose unlock happens before the reader's lock.
#include <stdatomic.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;
static atomic_int done;

static void *first(void *arg) {
    value = 1;
    pthread_rwlock_wrlock(&lock);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int seen = atomic_load_explicit(&done, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    if (seen)
        value = 2;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
