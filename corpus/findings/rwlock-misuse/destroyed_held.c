// Destroys a lock that a reader has.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); // BUG: rwlock-misuse
    return 0;
}
