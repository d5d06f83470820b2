/* The lock is destroyed and initialised again. An unlock of the old one does not come before a lock of the new one. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock;
static int data, copy;
static atomic_int done;

static void *first(void *unused) {
    LOCK(&lock);
    data = 1; // BUG: data-race
    pthread_rwlock_unlock(&lock);
    atomic_store_explicit(&done, 1, ORDER);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_init(&lock, 0);
    pthread_create(&thread, 0, first, 0);
    if (atomic_load_explicit(&done, memory_order_acquire)) {
        pthread_rwlock_destroy(&lock);
        pthread_rwlock_init(&lock, 0);
        pthread_rwlock_wrlock(&lock);
        copy = data; // BUG: data-race
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(thread, 0);
    pthread_rwlock_destroy(&lock);
}
