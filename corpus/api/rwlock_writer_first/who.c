// Readers and writers of a lock that prefers waiting writers: WHO says what each thread is.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int data;

static void reads(void) {
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(data >= 0);
    pthread_rwlock_unlock(&lock);
}

static void writes(void) {
    assert(pthread_rwlock_wrlock(&lock) == 0); // BUG: deadlock(twice)
    data++;
    pthread_rwlock_unlock(&lock);
}

// While a writer waits, the thread that has the lock for reading does not get it again.
static void reads_twice(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
}

static void tries(void) {
    int result = pthread_rwlock_tryrdlock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        pthread_rwlock_unlock(&lock);
}

static void (*const who[])(void) = {WHO};

static void *thread(void *arg) {
    (*(void (*const *)(void))arg)();
    return NULL;
}

int main(void) {
    enum { N = sizeof who / sizeof *who };
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, (void *)&who[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
