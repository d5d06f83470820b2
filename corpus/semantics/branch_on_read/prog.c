// Which locks a thread takes depends on what it read: the lock reversal hangs on the order of the atomics.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int mode;

static void *setter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&a);
    atomic_store(&mode, 1);
    pthread_mutex_lock(&b); // BUG: deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *follower(void *arg) {
    (void)arg;
    if (atomic_load(&mode) == 1) {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a); // BUG: deadlock
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, setter, NULL);
    pthread_create(&t2, NULL, follower, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
