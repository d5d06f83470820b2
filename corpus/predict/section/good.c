// The same accesses, ordered: GUARD makes them in the critical sections, PUBLISH by an atomic flag, JOIN by the end of
// the first thread.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int work, ready;
static int count, data;

static void *early(void *unused) {
#ifndef GUARD
    data = 1;
#endif
    pthread_mutex_lock(&lock);
#ifdef GUARD
    data = 1;
#endif
    count++;
    pthread_mutex_unlock(&lock);
#ifdef PUBLISH
    atomic_store(&ready, 1);
#endif
    return unused;
}

static void *late(void *unused) {
    for (int i = 0; i < DELAY; i++)
        atomic_fetch_add(&work, 1);
    pthread_mutex_lock(&lock);
    count++;
#ifdef GUARD
    data = 2;
#endif
    pthread_mutex_unlock(&lock);
#ifdef PUBLISH
    if (atomic_load(&ready))
        data = 2;
#endif
#ifdef JOIN
    data = 2;
#endif
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, early, NULL);
#ifdef JOIN
    pthread_join(first, NULL);
#endif
    pthread_create(&second, NULL, late, NULL);
#ifndef JOIN
    pthread_join(first, NULL);
#endif
    pthread_join(second, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
