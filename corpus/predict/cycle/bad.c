// THREADS threads each take a lock and then that of their neighbour. Each has DELAY operations more to make before than
// the one before it, so hardly any order drawn by chance lets two of them hold a lock at once.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t locks[THREADS];
static atomic_int work[THREADS];

static void *take(void *number) {
    long i = (long)number;
    for (long k = 0; k < i * DELAY; k++)
        atomic_fetch_add(&work[i], 1);
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[(i + 1) % THREADS]); // BUG: deadlock
    pthread_mutex_unlock(&locks[(i + 1) % THREADS]);
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_destroy(&locks[i]);
    return 0;
}
