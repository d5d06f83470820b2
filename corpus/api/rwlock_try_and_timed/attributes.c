// Locks by a call, with and without attributes; one by an initialiser, in memory of the heap.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_rwlock_t local;
    pthread_rwlockattr_t attributes;
    int kind;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP);
    assert(pthread_rwlockattr_getkind_np(&attributes, &kind) == 0 && kind == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    assert(pthread_rwlock_init(&local, &attributes) == 0);
    assert(pthread_rwlock_rdlock(&local) == 0 && pthread_rwlock_unlock(&local) == 0);
    assert(pthread_rwlock_destroy(&local) == 0);
    assert(pthread_rwlock_init(&local, NULL) == 0);
    assert(pthread_rwlock_wrlock(&local) == 0 && pthread_rwlock_unlock(&local) == 0);
    pthread_rwlock_t *heap = malloc(sizeof *heap);
    *heap = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    assert(pthread_rwlock_wrlock(heap) == 0 && pthread_rwlock_unlock(heap) == 0);
    free(heap);
    return 0;
}
