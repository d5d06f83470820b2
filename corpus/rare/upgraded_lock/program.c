// Each of THREADS threads reads under a read lock that nobody has filled a table, gives the lock back, takes it for
// writing, and fills the table.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int filled, wanted;

static void *fill_one(void *number) {
    make_noise();
    pthread_rwlock_rdlock(&lock);
    int needed = filled == 0 && wanted == (int)(long)number;
    pthread_rwlock_unlock(&lock);
    if (needed) {
        pthread_rwlock_wrlock(&lock);
#ifdef CORRECT
        if (filled == 0)
#endif
            filled++;
        pthread_rwlock_unlock(&lock);
    }
    make_noise();
    return NULL;
}

static void *reset(void *unused) {
    make_noise();
    pthread_rwlock_wrlock(&lock);
    wanted = 1;
    pthread_rwlock_unlock(&lock);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t threads[THREADS], resetting;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fill_one, (void *)(i == 0 ? 0 : i == THREADS - 1 ? 1 : 2));
    pthread_create(&resetting, NULL, reset, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(resetting, NULL);
    assert(filled < 2); // BUG: assertion
    pthread_rwlock_destroy(&lock);
    return 0;
}
