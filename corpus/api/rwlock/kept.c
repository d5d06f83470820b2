// A reader that ends without unlocking: the writer waits for ever.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    pthread_rwlock_rdlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_rwlock_wrlock(&lock); // BUG: deadlock
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
