// Unlocks what a trylock did not take.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_rwlock_trywrlock(&lock);
    pthread_rwlock_unlock(&lock); // BUG: rwlock-misuse
    pthread_join(t, NULL);
    return 0;
}
