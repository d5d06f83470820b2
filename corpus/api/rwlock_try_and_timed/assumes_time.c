// Relies on the writer to be gone before the time is over.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *thread(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0};
    pthread_create(&t, NULL, thread, NULL);
    assert(pthread_rwlock_timedwrlock(&lock, &soon) == 0); // BUG: assertion
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
