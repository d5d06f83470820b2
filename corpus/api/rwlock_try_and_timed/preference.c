// Preference for waiting writers, by an initialiser (api/rwlock_writer_first has the rest).
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    return 0;
}
