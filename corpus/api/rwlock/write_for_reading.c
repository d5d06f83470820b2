// Two threads write under a lock for reading.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *first(void *arg) {
    pthread_rwlock_rdlock(&lock);
    count++; // BUG: data-race
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_rdlock(&lock);
    count++;
    pthread_rwlock_unlock(&lock);
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
