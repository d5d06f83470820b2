// A thread may hold a lock for reading any number of times: a writer gets it only when it was given back as often. With
// MISSING, it is given back once less.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#ifdef MISSING
#define UNLOCKS (HOLDS - 1)
#else
#define UNLOCKS HOLDS
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock); // BUG: deadlock(writer)
    data = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 0; i < HOLDS; i++)
        assert((i % 2 ? pthread_rwlock_tryrdlock : pthread_rwlock_rdlock)(&lock) == 0);
    int before = data;
    for (int i = 0; i < UNLOCKS; i++) {
        assert(data == before);
        assert(pthread_rwlock_unlock(&lock) == 0);
    }
    pthread_join(thread, NULL);
    return 0;
}
