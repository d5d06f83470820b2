// Unlocks what another thread has locked.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    pthread_rwlock_unlock(&lock); // BUG: rwlock-misuse
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
