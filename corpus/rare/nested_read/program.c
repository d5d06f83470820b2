// READERS threads lock a read-write lock that lets waiting writers go first. One of them calls a function that locks
// it for reading a second time: if the writer has come to wait in between, the reader waits for the writer, and the
// writer for the reader.
#define _GNU_SOURCE
#include <pthread.h>

#include "../noise.h"

static pthread_rwlock_t lock;
static int value, copies[READERS];

static int get_value(void) {
    pthread_rwlock_rdlock(&lock); // BUG: deadlock
    int found = value;
    pthread_rwlock_unlock(&lock);
    return found;
}

static void *read_all(void *number) {
    make_noise();
    long mine = (long)number;
    pthread_rwlock_rdlock(&lock); // BUG: deadlock
    copies[mine] = value;
#ifdef CORRECT
    pthread_rwlock_unlock(&lock);
#endif
    if (mine == READERS / 2)
        copies[mine] += get_value();
#ifndef CORRECT
    pthread_rwlock_unlock(&lock);
#endif
    make_noise();
    return NULL;
}

static void *write_one(void *unused) {
    make_noise();
    pthread_rwlock_wrlock(&lock); // BUG: deadlock
    value++;
    pthread_rwlock_unlock(&lock);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t readers[READERS], writer;
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &kind);
    for (long i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_all, (void *)i);
    pthread_create(&writer, NULL, write_one, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
