// The same cycle of locks, without a deadlock: GATE takes another lock around both, ORDER takes the lower lock first,
// JOIN starts each thread after the end of the one before, SAME has one thread do it all.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t locks[THREADS], gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int work[THREADS];

static void *take(void *number) {
    long i = (long)number, first = i, second = (i + 1) % THREADS;
    for (long k = 0; k < i * DELAY; k++)
        atomic_fetch_add(&work[i], 1);
#ifdef ORDER
    if (second < first)
        first = second, second = i;
#endif
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[second]);
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
    return NULL;
}

int main(void) {
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
#ifdef SAME
        take((void *)i);
#else
        pthread_create(&threads[i], NULL, take, (void *)i);
#ifdef JOIN
        pthread_join(threads[i], NULL);
#endif
#endif
    }
#if !defined SAME && !defined JOIN
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_destroy(&locks[i]);
    pthread_mutex_destroy(&gate);
    return 0;
}
