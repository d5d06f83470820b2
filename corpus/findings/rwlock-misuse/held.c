// The thread that has locked it unlocks.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    return arg;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
