// Preference for waiting writers is not modelled, and named.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    return 0;
}
