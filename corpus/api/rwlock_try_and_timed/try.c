// A trylock for reading and one for writing beside a reader.
#include <assert.h>
#include <errno.h>
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
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    int result = pthread_rwlock_trywrlock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
